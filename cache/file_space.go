package cache

import (
	"errors"
	"os"
)

// allocator is a Direct that can reserve space and punch holes, as *direct.File can.
type allocator interface {
	Allocate(off, n int64) error
	PunchHole(off, n int64) error
}

// Allocate reserves disk space for the n bytes at off, by the method Allocate of the file. Blocks
// in the cache stay. If the file has no such method, or no PunchHole, the error is
// errors.ErrUnsupported.
func (f *File) Allocate(off, n int64) error {
	a, err := f.allocator("allocate")
	if err != nil {
		return err
	}
	return a.Allocate(off, n)
}

// PunchHole makes the n bytes at off zeros and frees their disk space, by the method PunchHole of
// the file. The blocks that it touches leave the cache. If the file has no such method, or no
// Allocate, the error is errors.ErrUnsupported.
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
