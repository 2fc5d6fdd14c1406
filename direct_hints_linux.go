package sluice

import (
	"errors"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// advices are in the order of the Advice constants.
var advices = [...]int{unix.FADV_NORMAL, unix.FADV_SEQUENTIAL, unix.FADV_RANDOM, unix.FADV_WILLNEED, unix.FADV_DONTNEED}

func advise(f *os.File, off, n int64, a Advice) error {
	return again(func() error { return unix.Fadvise(int(f.Fd()), off, n, advices[a]) })
}

// setLifetime sets l, whose values are the kernel's.
func setLifetime(f *os.File, l Lifetime) error {
	switch e := syscall.Errno(-sys.SetRWHint(int(f.Fd()), uint64(l))); e {
	case 0:
		return nil
	case unix.EINVAL: // the kernel has no hints
		return errors.ErrUnsupported
	default:
		return e
	}
}
