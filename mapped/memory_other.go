//go:build !unix

package mapped

import (
	"errors"

	"github.com/sluiceio/sluice"
)

func pageShift() uint { return 12 }

func mmap(int, int64, int) ([]byte, error) { return nil, errors.ErrUnsupported }

func munmap([]byte) error { return nil }

func madvise([]byte, sluice.Advice) error { return nil }
