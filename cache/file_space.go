package cache

import (
	"errors"
	"os"
)

// allocator is a Direct with the methods Allocate and PunchHole, as *direct.File has.
type allocator interface {
	Allocate(off, n int64) error
	PunchHole(off, n int64) error
}

// Allocate calls Allocate of the direct file: it reserves disk space for the n bytes at off. Blocks
// in the cache stay. If the direct file lacks Allocate or PunchHole, the error is
// errors.ErrUnsupported.
func (f *File) Allocate(off, n int64) error {
	a, err := f.allocator("allocate")
	if err != nil {
		return err
	}
	return a.Allocate(off, n)
}

// PunchHole calls PunchHole of the direct file: it makes the n bytes at off zeros and frees their
// disk space. Their blocks leave the cache. If the direct file lacks Allocate or PunchHole, the
// error is errors.ErrUnsupported.
func (f *File) PunchHole(off, n int64) error {
	a, err := f.allocator("punchhole")
	if err != nil {
		return err
	}
	defer f.Invalidate(off, n) // even on an error, as in WriteAt
	return a.PunchHole(off, n)
}

func (f *File) allocator(op string) (allocator, error) {
	if !f.open.Load() {
		return nil, f.error(op, os.ErrClosed)
	}
	a, ok := f.file.(allocator)
	if !ok {
		return nil, f.error(op, errors.ErrUnsupported)
	}
	return a, nil
}
