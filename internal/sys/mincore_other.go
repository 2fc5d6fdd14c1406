//go:build !linux

package sys

import "errors"

// Mincore fails with errors.ErrUnsupported: only Linux is asked.
func Mincore(_, _ []byte) error { return errors.ErrUnsupported }
