package sluice

import (
	"context"
	"errors"
	"os"
)

// DirectFile is an open file whose reads and writes go past the page cache
// (O_DIRECT), without O_DIRECT's conditions: any offset, any length, any
// memory.
//
//	f, err := sluice.CreateDirect("log")
//	…
//	n, err := f.WriteAt([]byte("one byte more makes the file one byte longer"), 0)
//
// What is aligned in offset, length and memory goes straight between the
// device and the caller's slice; the rest goes through buffers, a block that
// is written in part is read before. [DirectFile.Explain] tells the alignment.
// The end of the file is always that of package os: no other program ever sees
// a size that is rounded up to a block. For that, what is written into the
// block in which the file ends, and what a write leaves beyond the last whole
// block, goes through the page cache, where no more than a page of it stays.
//
// Where the file system has no O_DIRECT, or not for this file, a DirectFile
// reads and writes by way of the page cache, as a [File].
//
// It is a regular file or a block device. It has no position, and so is not
// opened with O_APPEND. One that can be written has two descriptors.
//
// # Errors
//
// As in package os they are *fs.PathError, but for io.EOF, which is bare. An
// offset or a length below 0 is an error. So is a transfer that reaches beyond
// the largest offset there is; to read where no file reaches is io.EOF. What the
// file was not opened for fails with EBADF, a File that is closed with
// os.ErrClosed, a nil one with os.ErrInvalid.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. Writes of
// different bytes never undo each other, also where they share a block, and
// also through several DirectFiles of the same file in this process. Other
// programs, and other Files, that write to the same blocks at the same time do
// so at the risk of both; also, a program that cuts the file off while a
// DirectFile writes to its last block may find it longer again.
type DirectFile struct {
	file   *File   // with O_DIRECT, if direct is not nil
	direct *direct // nil if the page cache is used
	how    string  // what Explain says
}

// OpenDirect opens the named file for reading.
func OpenDirect(name string) (*DirectFile, error) { return OpenDirectFile(name, os.O_RDONLY, 0) }

// CreateDirect creates or truncates the named file and opens it for reading
// and writing.
func CreateDirect(name string) (*DirectFile, error) {
	return OpenDirectFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenDirectFile opens the named file, which is a regular one or a block
// device, with the flags and the mode of os.OpenFile. O_APPEND is refused
// (EINVAL). So is, without waiting for it, what is on no disk: a directory with
// EISDIR, a pipe, a socket or a character device with errors.ErrUnsupported.
//
// The file is opened twice. Where perm does not allow the second one, to a user
// that is not root, the page cache is used, and Explain says so.
//
// With O_WRONLY a block that is written in part cannot be read before, and
// goes through the page cache instead.
func OpenDirectFile(name string, flag int, perm os.FileMode) (*DirectFile, error) {
	s, err := Default()
	if err != nil {
		return nil, &os.PathError{Op: "open", Path: name, Err: err}
	}
	return s.OpenDirectFile(name, flag, perm)
}

// Close closes the file once its operations in progress have ended; see
// File.Close.
func (d *DirectFile) Close() error { return d.buffered().Close() }

// Name returns the name of the file as presented to OpenDirect.
func (d *DirectFile) Name() string { return d.file.Name() }

// Stat returns the FileInfo structure describing the file.
func (d *DirectFile) Stat() (os.FileInfo, error) { return d.buffered().Stat() }

// Size returns the size of the file, or of the block device, in bytes.
func (d *DirectFile) Size() (size int64, err error) {
	err = d.call("size", func() error {
		size, err = sizeOf(d.file.file)
		return err
	})
	return size, err
}

// Explain says in a line how the file is read and written, and why. It is for
// people: its form may change.
func (d *DirectFile) Explain() string { return d.how }

// Sync commits the file to stable storage, all that was written to it through
// whatever DirectFile; see File.Sync.
func (d *DirectFile) Sync() error { return d.SyncContext(context.Background()) }

// SyncContext is Sync as long as ctx has not ended; see File.SyncContext.
func (d *DirectFile) SyncContext(ctx context.Context) error {
	err := d.buffered().SyncContext(ctx)
	if err != nil || d.direct == nil || !d.direct.apart {
		return err
	}
	return d.call("sync", func() error { return d.direct.sched.Sync(ctx, d.direct.tail) })
}

// Truncate changes the size of the file.
func (d *DirectFile) Truncate(size int64) error {
	if d == nil || d.direct == nil {
		return d.buffered().Truncate(size)
	}
	return d.call("truncate", func() error {
		return d.direct.change(func() error { return d.file.file.Truncate(size) })
	})
}

// Allocate has the file system reserve room for the n bytes at off, so that
// writing there neither has to nor can run out of it. The size of the file
// stays what it is. Where that cannot be had the error is
// errors.ErrUnsupported.
func (d *DirectFile) Allocate(off, n int64) error { return d.reshape("allocate", off, n, allocate) }

// PunchHole makes the n bytes at off zeros and gives their blocks back to the
// file system. The size of the file stays what it is. Of a block device off and n
// are whole sectors. Where that cannot be had the error is
// errors.ErrUnsupported.
func (d *DirectFile) PunchHole(off, n int64) error {
	return d.reshape("punchhole", off, n, punchHole)
}

func (d *DirectFile) reshape(op string, off, n int64, do func(f *os.File, off, n int64) error) error {
	return d.call(op, func() error {
		switch {
		case off < 0:
			return errors.New("negative offset")
		case n < 0:
			return errors.New("negative length")
		case n == 0:
			return nil
		case d.direct == nil:
			return do(d.file.file, off, n)
		}
		return d.direct.change(func() error { return do(d.file.file, off, n) })
	})
}

// call makes an operation that is not a transfer.
func (d *DirectFile) call(op string, do func() error) (err error) {
	if d == nil {
		return os.ErrInvalid
	}
	if core := d.file.core; core != nil {
		if !core.Use() {
			return d.file.error(op, os.ErrClosed)
		}
		defer core.Done()
	}
	err = do()
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return d.file.error(op, err)
}

// buffered returns the File, whose methods give the right error when d is nil.
func (d *DirectFile) buffered() *File {
	if d == nil {
		return nil
	}
	return d.file
}
