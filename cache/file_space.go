package cache

import (
	"errors"
	"os"
)

// Allocator is a [Direct] whose file system can be asked for room and given it
// back, as *direct.File. Neither changes the size of the file.
type Allocator interface {
	Allocate(off, n int64) error
	PunchHole(off, n int64) error
}

// Allocate reserves room for the n bytes at off, as the file's Allocate does.
// What a reader sees stays, and so does what is in the cache. Of a file that is
// no [Allocator] the error is errors.ErrUnsupported.
func (f *File) Allocate(off, n int64) error {
	a, err := f.allocator("allocate")
	if err != nil {
		return err
	}
	return a.Allocate(off, n)
}

// PunchHole makes the n bytes at off zeros and gives their room back, as the
// file's PunchHole does. The blocks that it touches leave the cache. Of a file
// that is no [Allocator] the error is errors.ErrUnsupported.
func (f *File) PunchHole(off, n int64) error {
	a, err := f.allocator("punchhole")
	if err != nil {
		return err
	}
	defer f.Invalidate(off, n) // whatever comes of it, as in WriteAt
	return a.PunchHole(off, n)
}

func (f *File) allocator(op string) (Allocator, error) {
	if !f.open.Load() {
		return nil, f.error(op, os.ErrClosed)
	}
	a, ok := f.file.(Allocator)
	if !ok {
		return nil, f.error(op, errors.ErrUnsupported)
	}
	return a, nil
}
