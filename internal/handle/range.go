package handle

import (
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
)

// OnRange calls do, the operation op on the n bytes at off, while it uses the file, and returns
// do's error. It does not call do, and returns an error, if the file has no disk I/O or is closed,
// or if the range is wrong. do takes a permit for its system calls.
func (f *File) OnRange(op string, off, n int64, do func() error) error {
	if f.IO == nil {
		return f.Error(op, errors.ErrUnsupported)
	}
	if err := CheckRange(off, n); err != nil {
		return f.Error(op, err)
	}
	return f.Using(op, do)
}

// Using calls do, the operation op, while it uses the file, and returns do's error. If the file is
// closed it does not call do, and returns an error. Package os counts the operations on a file
// without disk I/O.
func (f *File) Using(op string, do func() error) error {
	if f.IO == nil {
		return do()
	}
	if !f.IO.Use() {
		return f.Error(op, os.ErrClosed)
	}
	defer f.IO.Done()
	return do()
}

// PlainCall calls do, a plain call, with a permit, and returns do's error. The caller uses the file
// (Using).
func (f *File) PlainCall(do func() error) (err error) {
	f.Sched.Core.WithPermit(sched.Changes, f.IO, func() { err = do() })
	return err
}

// PlainRead is PlainCall for a do that changes nothing.
func (f *File) PlainRead(do func() error) (err error) {
	f.Sched.Core.WithPermit(sched.Reads, f.IO, func() { err = do() })
	return err
}

// CheckRange returns an error unless off and n are the offset and the length of a range.
func CheckRange(off, n int64) error {
	switch {
	case off < 0:
		return errors.New("negative offset")
	case n < 0:
		return errors.New("negative length")
	}
	return nil
}

// The calls below are plain calls. Their caller uses the file (Using, OnRange) and holds a permit.
// The errors are the system's.

// Allocate makes the call of sluice.File.Allocate.
func (f *File) Allocate(off, n int64) error { return f.reshape(off, n, off+n, sys.Allocate) }

// PunchHole makes the call of sluice.File.PunchHole.
func (f *File) PunchHole(off, n int64) error { return f.reshape(off, n, 0, sys.PunchHole) }

// reshape calls do, which changes the blocks that the file system keeps, unless n is 0. For a
// simulated disk, do's room ends at end; see Disk.Change.
func (f *File) reshape(off, n, end int64, do func(fd int, off, n int64) error) error {
	if n == 0 {
		return nil
	}
	fd := int(f.OS.Fd())
	if f.Sched.Disk != nil {
		return f.Sched.Disk.Change(fd, end, func() error { return do(fd, off, n) })
	}
	return do(fd, off, n)
}

// Advise makes the call of sluice.File.Advise.
func (f *File) Advise(off, n int64, advice uint8) error {
	const last = 4 // sluice.AdviceDontNeed; the first is 0
	if advice > last {
		return fmt.Errorf("advice %d is not between %d and %d", advice, 0, last)
	}
	return sys.Advise(int(f.OS.Fd()), off, n, advice)
}
