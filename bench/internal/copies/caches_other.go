//go:build !linux

package copies

import (
	"errors"
	"time"
)

// canDropAll reports whether all caches can be dropped, which needs Linux.
func canDropAll() bool { return false }

func dropCaches(string) error { return errors.ErrUnsupported }

func syncFS(string) error { return errors.ErrUnsupported }

func threadCPU() time.Duration { return 0 }
