package sys

import (
	"errors"
	"slices"
	"syscall"
)

// IgnoringEINTR repeats a call while a signal interrupts it.
func IgnoringEINTR(call func() error) error {
	for {
		if err := call(); !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// IsErrno reports whether err is one of the errnos.
func IsErrno(err error, errnos ...syscall.Errno) bool {
	e, ok := errors.AsType[syscall.Errno](err)
	return ok && slices.Contains(errnos, e)
}
