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
// An aligned transfer goes straight between the device and the caller's slice. Any other transfer
// goes through a buffer, and a write first reads the blocks that it changes in part. The last block
// of a file goes through the page cache, so no program ever sees a size that is rounded up to a
// block. On a file system without O_DIRECT all transfers go through the page cache. [File.Explain]
// returns the alignment.
//
// A File is a regular file or a block device. It has no position, so O_APPEND is an error.
//
// # Errors
//
// Errors are *fs.PathError, except io.EOF, and os.ErrInvalid for a nil or zero File. A negative
// offset or length is an error, and so is an offset beyond the largest file that the file system
// can have. A read of a file open for writing only is EBADF, and so is a write of one open for
// reading.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. Writes of different bytes never
// undo each other, even in one block and through several Files of the process.
//
// Nothing protects a block from other writers: other programs, os.File, and a File that uses the
// page cache because O_DIRECT is refused (see Explain). If one of these writes to the block or
// truncates the file during a write of a File, bytes of either may be lost.
type File struct {
	file        *sluice.File   // with O_DIRECT, unless direct is nil
	h           *handle.File   // the inside of file
	direct      *directio.File // nil if the page cache is used
	explanation string         // the result of Explain
}

// Close waits for the file's operations in progress, and closes it; see sluice.File.Close.
func (f *File) Close() error { return f.buffered().Close() }

// Name returns the name of the file as presented to Open.
func (f *File) Name() string { return f.file.Name() }

// Fd returns the descriptor. It has O_DIRECT unless the file uses the page cache, so its user must
// keep to the alignment. It is invalid once the file is closed or collected; see os.File.Fd.
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

// Explain returns a line for people, whose form may change: how the file is read and written, and
// why.
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

// Allocate reserves room for the n bytes at off, so that later writes there cannot run out of
// space. The size of the file does not change. On a file system without preallocation the error is
// errors.ErrUnsupported.
func (f *File) Allocate(off, n int64) error {
	return f.reshape("allocate", off, n, (*handle.File).Allocate)
}

// PunchHole makes the n bytes at off zeros and gives their blocks back to the file system. The size
// of the file does not change. On a block device off and n must be multiples of its logical sector.
// On a file system without holes the error is errors.ErrUnsupported.
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
			return f.h.PlainCall(change)
		}
		return f.direct.Reshape(change)
	})
}

// call calls do, an operation other than a transfer, and keeps the file open until do returns.
func (f *File) call(op string, do func() error) error {
	if f.isNil() {
		return os.ErrInvalid
	}
	err := f.h.Using(op, do)
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return f.h.Error(op, err)
}

// isNil reports whether f is nil or the zero File.
func (f *File) isNil() bool { return f == nil || f.h == nil }

// buffered returns the sluice.File, or nil if f is nil. A nil sluice.File returns the right errors.
func (f *File) buffered() *sluice.File {
	if f == nil {
		return nil
	}
	return f.file
}

// release calls do in a goroutine; Close of s waits for it. do frees the memory of a dropped
// stream, after a wait for the device. A cleanup of the Go runtime must not wait itself: it would
// hold up all cleanups of the program. Once s is closed, nothing of the stream is in flight.
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
