package direct

import (
	"errors"
	"os"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/handle"
)

// File is an open file whose reads and writes go past the page cache (O_DIRECT).
//
//	f, err := direct.Create("log")
//	…
//	n, err := f.WriteAt([]byte("one byte more makes the file one byte longer"), 0)
//
// An aligned transfer goes straight between the device and the caller's slice. Any other goes
// through a buffer, and a block that is written in part is read first. [File.Explain] returns the
// alignment. No other program ever sees a size that is rounded up to a block: the last block of a
// file goes through the page cache. If the file system has no O_DIRECT, all goes through the page
// cache.
//
// It is a regular file or a block device. It has no position, so O_APPEND is refused.
//
// # Errors
//
// Errors are *fs.PathError, except io.EOF, and os.ErrInvalid for a nil File. A negative offset
// or length is an error. So is a ReadAt or WriteAt beyond the largest offset. A read of a file open
// for writing alone, or a write of one open for reading, is EBADF.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. Writes of different bytes never
// undo each other, also if they share a block and go through several Files of this process. Other
// programs, other packages, and Files for which Explain says that they use the page cache, may undo
// a write to the same block, and must not truncate the file while its last block is written.
type File struct {
	file        *sluice.File   // with O_DIRECT, if direct is not nil
	h           *handle.File   // file's
	direct      *directio.File // nil if the page cache is used
	explanation string         // what Explain returns
}

// Close closes the file once its operations in progress have ended; see
// sluice.File.Close.
func (f *File) Close() error { return f.buffered().Close() }

// Name returns the name of the file as presented to Open.
func (f *File) Name() string { return f.file.Name() }

// Fd returns the descriptor, which is one with O_DIRECT unless the page cache is used: its
// user must keep to the alignment. It is invalid once the file is closed or collected; see
// os.File.Fd.
func (f *File) Fd() uintptr { return f.buffered().Fd() }

// Stat returns the FileInfo structure describing the file.
func (f *File) Stat() (os.FileInfo, error) { return f.buffered().Stat() }

// Size returns the size of the file, or of the block device, in bytes.
func (f *File) Size() (size int64, err error) {
	err = f.call("size", func() error {
		size, err = handle.Size(f.h.OS)
		return err
	})
	return size, err
}

// Explain says in a line how the file is read and written, and why. It is for
// people: its form may change.
func (f *File) Explain() string { return f.explanation }

// Stats returns a snapshot of the File's counters; see sluice.File.Stats. An operation that is not
// aligned counts as the transfers of whole blocks that it takes.
func (f *File) Stats() sluice.FileStats { return f.buffered().Stats() }

// Truncate changes the size of the file.
func (f *File) Truncate(size int64) error {
	if f == nil || f.direct == nil {
		return f.buffered().Truncate(size)
	}
	return f.call("truncate", func() error {
		return f.direct.Change(func() error { return f.h.Truncate(size) })
	})
}

// Allocate has the file system reserve room for the n bytes at off, so that a write there
// need not allocate blocks, and cannot run out of space. The size of the file does not
// change. Where the file system cannot do that, the error is errors.ErrUnsupported.
func (f *File) Allocate(off, n int64) error {
	return f.reshape("allocate", off, n, (*handle.File).Allocate)
}

// PunchHole makes the n bytes at off zeros and gives their blocks back to the file
// system. The size of the file does not change. On a block device off and n must be
// multiples of its logical sector. Where the file system cannot do that, the error is
// errors.ErrUnsupported.
func (f *File) PunchHole(off, n int64) error {
	return f.reshape("punchhole", off, n, (*handle.File).PunchHole)
}

func (f *File) reshape(op string, off, n int64, do func(h *handle.File, off, n int64) error) error {
	return f.call(op, func() error {
		if err := handle.CheckRange(off, n); err != nil || n == 0 {
			return err
		}
		change := func() error { return do(f.h, off, n) }
		if f.direct == nil {
			return f.h.Blocking(change)
		}
		return f.direct.Reshape(change)
	})
}

// call calls do, an operation that is not a transfer, while it uses the file.
func (f *File) call(op string, do func() error) error {
	if f == nil {
		return os.ErrInvalid
	}
	err := f.h.Using(op, do)
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return f.h.Error(op, err)
}

// buffered returns the sluice.File. Its methods return the right error if f is nil.
func (f *File) buffered() *sluice.File {
	if f == nil {
		return nil
	}
	return f.file
}

// release calls do, which gives back the memory of a stream that was dropped, after a wait for the
// device. The wait needs another goroutine: a cleanup of the Go runtime that waits holds up
// all cleanups of the program. The Close of s waits for it. Nothing of the stream is in flight once
// s is closed.
func release(s *handle.Scheduler, do func()) {
	if s.Acquire() != nil {
		do()
		return
	}
	go func() {
		defer s.Release()
		do()
	}()
}
