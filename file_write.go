package sluice

import (
	"context"
	"io"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sys"
)

// Write writes b at the file's position and returns how many bytes it has
// written. It returns a non-nil error when n != len(b).
func (f *File) Write(b []byte) (n int, err error) {
	if f == nil || f.h.IO == nil || len(b) == 0 {
		return f.os().Write(b)
	}
	if !f.h.IO.Use() {
		return 0, f.h.Error("write", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.Write(f.h.IO, b)
	f.h.IO.Done()
	return n, f.h.Error("write", err)
}

// WriteString is Write of the bytes of s.
func (f *File) WriteString(s string) (n int, err error) { return f.Write(sys.Bytes(s)) }

// WriteAt writes b at byte offset off and returns how many bytes it has written. If n != len(b) the
// error is not nil. If the file was opened with O_APPEND, WriteAt writes nothing and fails.
func (f *File) WriteAt(b []byte, off int64) (n int, err error) {
	if f == nil || f.h.IO == nil || off < 0 || len(b) == 0 || f.h.IO.Appends() {
		return f.os().WriteAt(b, off)
	}
	if !f.h.IO.Use() {
		return 0, f.h.Error("write", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.WriteAt(context.Background(), f.h.IO, b, off)
	f.h.IO.Done()
	if err != nil {
		return n, f.h.Error("write", err)
	}
	return n, nil
}

// WriteAtContext is WriteAt, but if ctx ends early it returns how many bytes are known to be
// written, and ctx's error. The bytes after the first n may or may not be written. It waits for an
// operation in the kernel, as [File.ReadAtContext] does.
func (f *File) WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if err := handle.ContextError(ctx); f != nil && err != nil {
		return 0, f.h.Error("write", err)
	}
	if f == nil || f.h.IO == nil || off < 0 || len(b) == 0 || f.h.IO.Appends() {
		return f.os().WriteAt(b, off)
	}
	if !f.h.IO.Use() {
		return 0, f.h.Error("write", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.WriteAt(ctx, f.h.IO, b, off)
	f.h.IO.Done()
	return n, f.h.Error("write", err)
}

// Truncate changes the size of the file. It does not move its position.
func (f *File) Truncate(size int64) error {
	if f == nil || f.h.IO == nil {
		return f.os().Truncate(size)
	}
	return f.block("truncate", func() error { return f.h.Truncate(size) })
}

// change calls do, a plain call that changes the file's metadata. op names it in errors.
func (f *File) change(op string, do func(file *os.File) error) error {
	if f == nil || f.h.IO == nil {
		return do(f.os())
	}
	return f.block(op, func() error { return do(f.h.OS) })
}

// block calls do, a plain call, with a permit, and keeps the file open until do returns. op names
// it in errors. do's errors, which block returns, are errors of package os.
func (f *File) block(op string, do func() error) error {
	return f.h.Using(op, func() error { return f.h.Blocking(do) })
}

// Seek sets the position for the next Read or Write to offset, relative to the start of the file,
// the current position or the end of the file (io.SeekStart, io.SeekCurrent, io.SeekEnd). It
// returns the new position.
func (f *File) Seek(offset int64, whence int) (pos int64, err error) {
	if f == nil || f.h.IO == nil {
		return f.os().Seek(offset, whence)
	}
	if whence > io.SeekEnd { // SEEK_DATA or SEEK_HOLE
		return f.seekWaiting(offset, whence)
	}
	f.h.IO.PositionMu.Lock()
	defer f.h.IO.PositionMu.Unlock()
	return f.h.OS.Seek(offset, whence)
}

// seekWaiting is Seek as a plain call: SEEK_DATA and SEEK_HOLE may wait for the device.
func (f *File) seekWaiting(offset int64, whence int) (pos int64, err error) {
	err = f.h.Using("seek", func() error {
		f.h.IO.PositionMu.Lock()
		defer f.h.IO.PositionMu.Unlock()
		return f.h.BlockingRead(func() (err error) {
			pos, err = f.h.OS.Seek(offset, whence)
			return err
		})
	})
	return pos, err
}
