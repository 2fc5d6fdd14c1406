package sluice

import (
	"errors"
	"os"
)

// DirectFile is an open file whose reads and writes go past the page cache (O_DIRECT). It
// does not have O_DIRECT's conditions: any offset, any length and any memory will do.
//
//	f, err := sluice.CreateDirect("log")
//	…
//	n, err := f.WriteAt([]byte("one byte more makes the file one byte longer"), 0)
//
// A transfer that is aligned in offset, length and memory goes straight between the
// device and the caller's slice. The rest goes through buffers; a block that is written
// in part is read first. [DirectFile.Explain] returns the alignment.
//
// The end of the file is always that of package os: no other program ever sees a size
// that is rounded up to a block. For that, what is written into the block in which the
// file ends goes through the page cache, and so does what a write leaves beyond the last
// whole block. No more than a page of it stays there.
//
// If the file system has no O_DIRECT, or not for this file, a DirectFile reads and writes
// through the page cache, like a [File].
//
// It is a regular file or a block device. It has no position, so it cannot be opened with
// O_APPEND. If it can be written it has two descriptors.
//
// # Errors
//
// As in package os errors are *fs.PathError, except for io.EOF, which is bare. A negative
// offset or length is an error. So is a transfer that reaches beyond the largest offset
// there is. A read where no file reaches returns io.EOF. An operation that the file was
// not opened for fails with EBADF. A closed DirectFile returns os.ErrClosed, a nil one
// os.ErrInvalid.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once. Writes of different
// bytes never undo each other, even if they share a block, and even through several
// DirectFiles of the same file in this process. Other programs, and Files that are no
// DirectFiles, are not protected: if they write to the same blocks at the same time,
// either write may be undone. A program that truncates the file while a DirectFile writes
// to its last block may find it longer again.
type DirectFile struct {
	file        *File   // with O_DIRECT, if direct is not nil
	direct      *direct // nil if the page cache is used
	explanation string  // what Explain returns
}

// OpenDirect opens the named file for reading.
func OpenDirect(name string) (*DirectFile, error) { return OpenDirectFile(name, os.O_RDONLY, 0) }

// CreateDirect creates or truncates the named file and opens it for reading
// and writing.
func CreateDirect(name string) (*DirectFile, error) {
	return OpenDirectFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
}

// OpenDirectFile opens the named file, a regular file or a block device, with the flags
// and the mode of os.OpenFile. O_APPEND is refused (EINVAL). So are other kinds of files,
// without waiting for them: a directory with EISDIR, a pipe, a socket or a character
// device with errors.ErrUnsupported.
//
// The file is opened twice. If perm does not allow the second open, to a user that is not
// root, the page cache is used, and Explain says so.
//
// With O_WRONLY a block that is written in part cannot be read first. It goes through the
// page cache instead.
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
		size, err = sizeOf(d.file.h.OS)
		return err
	})
	return size, err
}

// Explain says in a line how the file is read and written, and why. It is for
// people: its form may change.
func (d *DirectFile) Explain() string { return d.explanation }

// Truncate changes the size of the file.
func (d *DirectFile) Truncate(size int64) error {
	if d == nil || d.direct == nil {
		return d.buffered().Truncate(size)
	}
	return d.call("truncate", func() error {
		return d.direct.change(func() error { return d.file.h.OS.Truncate(size) })
	})
}

// Allocate has the file system reserve room for the n bytes at off, so that a write there
// need not allocate blocks, and cannot run out of space. The size of the file does not
// change. Where the file system cannot do that, the error is errors.ErrUnsupported.
func (d *DirectFile) Allocate(off, n int64) error { return d.reshape("allocate", off, n, allocate) }

// PunchHole makes the n bytes at off zeros and gives their blocks back to the file
// system. The size of the file does not change. On a block device off and n must be
// multiples of the sector. Where the file system cannot do that, the error is
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
			return do(d.file.h.OS, off, n)
		}
		return d.direct.reshape(func() error { return do(d.file.h.OS, off, n) })
	})
}

// call calls do, an operation that is not a transfer, while it uses the file.
func (d *DirectFile) call(op string, do func() error) (err error) {
	if d == nil {
		return os.ErrInvalid
	}
	if core := d.file.h.Core; core != nil {
		if !core.Use() {
			return d.file.h.Error(op, os.ErrClosed)
		}
		defer core.Done()
	}
	err = do()
	if _, ok := errors.AsType[*os.PathError](err); ok {
		return err
	}
	return d.file.h.Error(op, err)
}

// buffered returns the File. Its methods return the right error if d is nil.
func (d *DirectFile) buffered() *File {
	if d == nil {
		return nil
	}
	return d.file
}
