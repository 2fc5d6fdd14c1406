package sluice

import (
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sys"
)

// The methods below are calls that databases make on parts of a file. What they have in common
// is in the comment of File.

// Allocate has the file system reserve room for the n bytes at off, so that a write there
// need not allocate blocks, and cannot run out of space (fallocate(2),
// FALLOC_FL_KEEP_SIZE). The size of the file does not change. Where the file system cannot
// do that, the error is errors.ErrUnsupported.
func (f *File) Allocate(off, n int64) error {
	return f.reshape("allocate", off, n, sys.Allocate)
}

// PunchHole makes the n bytes at off zeros and gives their blocks back to the file system
// (fallocate(2), FALLOC_FL_PUNCH_HOLE). The size of the file does not change. On a block
// device off and n must be multiples of its logical sector. Where the file system cannot do that,
// the error is errors.ErrUnsupported.
func (f *File) PunchHole(off, n int64) error {
	return f.reshape("punchhole", off, n, sys.PunchHole)
}

// reshape calls do, which changes the blocks that the file system keeps, unless n is 0.
func (f *File) reshape(op string, off, n int64, do func(fd int, off, n int64) error) error {
	return f.onRange(op, off, n, func() error {
		if n == 0 {
			return nil
		}
		return do(int(f.h.OS.Fd()), off, n)
	})
}

// Advise tells the system how the n bytes at off will be used (posix_fadvise(2)); n 0 means
// up to the end of the file. The kernel follows the advice as it likes. With AdviceWillNeed
// it reads no more than the read-ahead of the device, often 128 KiB; [File.Prefetch] has no
// such limit. AdviceDontNeed keeps pages that are not on the disk yet, so call Sync first.
// Where the system takes no advice, the error is errors.ErrUnsupported.
func (f *File) Advise(off, n int64, a Advice) error {
	return f.onRange("advise", off, n, func() error {
		if a > AdviceDontNeed {
			return fmt.Errorf("advice %d is not between %d and %d", a, AdviceNormal, AdviceDontNeed)
		}
		return sys.Advise(int(f.h.OS.Fd()), off, n, uint8(a))
	})
}

// SyncRange has the system begin to write the n bytes at off to the disk; n 0 means up to the
// end of the file. It does not wait for the device, and commits nothing: it leaves less to do
// for the Sync that does (sync_file_range(2), SYNC_FILE_RANGE_WRITE). A program that writes
// a long file may call it every few MiB, so that the Sync at the end does not write all at
// once. Once a Sync has failed, SyncRange returns its error. It does nothing on
// systems other than Linux.
func (f *File) SyncRange(off, n int64) error {
	return f.onRange("syncrange", off, n, func() error { return f.h.Sched.Core.SyncRange(f.h.Core, off, n) })
}

// onRange calls do, which waits in system calls of its own, while it uses the file.
func (f *File) onRange(op string, off, n int64, do func() error) (err error) {
	switch {
	case f == nil:
		return os.ErrInvalid
	case f.h.Core == nil:
		return f.h.Error(op, errors.ErrUnsupported)
	}
	if err := handle.CheckRange(off, n); err != nil {
		return f.h.Error(op, err)
	}
	if !f.h.Core.Use() {
		return f.h.Error(op, os.ErrClosed)
	}
	defer f.h.Core.Done()
	f.h.Sched.Core.Block(f.h.Core, func() { err = do() })
	return f.h.Error(op, err)
}
