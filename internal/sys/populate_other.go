//go:build !linux

package sys

import "errors"

// PopulateRead returns errors.ErrUnsupported: it is for Linux only.
func PopulateRead([]byte) error { return errors.ErrUnsupported }
