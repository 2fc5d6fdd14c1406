//go:build !linux

package sys

import "errors"

// Allocate returns errors.ErrUnsupported: it is for Linux only.
func Allocate(int, int64, int64) error { return errors.ErrUnsupported }

// PunchHole returns errors.ErrUnsupported: it is for Linux only.
func PunchHole(int, int64, int64) error { return errors.ErrUnsupported }

// Advise returns errors.ErrUnsupported: it is for Linux only.
func Advise(int, int64, int64, uint8) error { return errors.ErrUnsupported }

// FlushPages returns errors.ErrUnsupported: it is for Linux only.
func FlushPages(int, int64, int64) error { return errors.ErrUnsupported }

// DropPages returns errors.ErrUnsupported: it is for Linux only.
func DropPages(int, int64, int64) error { return errors.ErrUnsupported }
