//go:build !linux

package copies

import (
	"errors"
	"time"
)

// canDropAll reports what it does on Linux.
func canDropAll() bool { return false }

func dropCaches(string) error { return errors.ErrUnsupported }

func syncFS(string) error { return errors.ErrUnsupported }

func threadCPU() time.Duration { return 0 }
