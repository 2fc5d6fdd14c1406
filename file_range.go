package sluice

import "os"

// The methods below are calls that databases make on parts of a file. What they have in common
// is in the comment of File.

// Allocate has the file system reserve room for the n bytes at off, so that a write there
// need not allocate blocks, and cannot run out of space (fallocate(2),
// FALLOC_FL_KEEP_SIZE). The size of the file does not change. Where the file system cannot
// do that, the error is errors.ErrUnsupported.
func (f *File) Allocate(off, n int64) error {
	return f.onRange("allocate", off, n, func() error { return f.h.Allocate(off, n) })
}

// PunchHole makes the n bytes at off zeros and gives their blocks back to the file system
// (fallocate(2), FALLOC_FL_PUNCH_HOLE). The size of the file does not change. On a block
// device off and n must be multiples of its logical sector. Where the file system cannot do that,
// the error is errors.ErrUnsupported.
func (f *File) PunchHole(off, n int64) error {
	return f.onRange("punchhole", off, n, func() error { return f.h.PunchHole(off, n) })
}

// Advise tells the system how the n bytes at off will be used (posix_fadvise(2)); n 0 means
// up to the end of the file. The kernel follows the advice as it likes. With AdviceWillNeed
// it reads no more than the read-ahead of the device, often 128 KiB; [File.Prefetch] has no
// such limit. AdviceDontNeed keeps pages that are not on the disk yet, so call Sync first.
// Where the system takes no advice, the error is errors.ErrUnsupported.
func (f *File) Advise(off, n int64, a Advice) error {
	if f == nil {
		return os.ErrInvalid
	}
	return f.h.OnRange("advise", off, n, func() error {
		return f.h.Error("advise", f.h.BlockingRead(func() error { return f.h.Advise(off, n, uint8(a)) }))
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
func (f *File) onRange(op string, off, n int64, do func() error) error {
	if f == nil {
		return os.ErrInvalid
	}
	return f.h.OnRange(op, off, n, func() error { return f.h.Error(op, f.h.Blocking(do)) })
}
