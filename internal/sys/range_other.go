//go:build !linux

package sys

import "errors"

// Allocate is for Linux alone.
func Allocate(int, int64, int64) error { return errors.ErrUnsupported }

// PunchHole is for Linux alone.
func PunchHole(int, int64, int64) error { return errors.ErrUnsupported }

// Advise is for Linux alone.
func Advise(int, int64, int64, uint8) error { return errors.ErrUnsupported }

// SetLifetime is for Linux alone.
func SetLifetime(int, uint64) error { return errors.ErrUnsupported }

// FlushPages is for Linux alone.
func FlushPages(int, int64, int64) error { return errors.ErrUnsupported }

// DropPages is for Linux alone.
func DropPages(int, int64, int64) error { return errors.ErrUnsupported }
