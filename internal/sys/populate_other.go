//go:build !linux

package sys

import "errors"

// PopulateRead returns errors.ErrUnsupported: only Linux has it.
func PopulateRead([]byte) error { return errors.ErrUnsupported }
