//go:build !linux

package sys

import "errors"

// Mincore returns errors.ErrUnsupported: it is for Linux only.
func Mincore(_, _ []byte) error { return errors.ErrUnsupported }
