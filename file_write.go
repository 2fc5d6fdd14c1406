package sluice

import (
	"context"
	"io"
	"os"

	"github.com/sluiceio/sluice/internal/sys"
)

// Write writes b at the file's position and returns how many bytes it has
// written. It returns a non-nil error when n != len(b).
func (f *File) Write(b []byte) (n int, err error) {
	if f == nil || f.core == nil || len(b) == 0 {
		return f.os().Write(b)
	}
	if !f.core.Use() {
		return 0, f.error("write", os.ErrClosed)
	}
	n, err = f.sched.core.Write(f.core, b)
	f.core.Done()
	return n, f.error("write", err)
}

// WriteString is Write of the bytes of s.
func (f *File) WriteString(s string) (n int, err error) { return f.Write(sys.Bytes(s)) }

// WriteAt writes b starting at byte offset off and returns how many bytes it
// has written. It returns a non-nil error when n != len(b), and always if the
// file was opened with O_APPEND.
func (f *File) WriteAt(b []byte, off int64) (n int, err error) {
	if f == nil || f.core == nil || off < 0 || len(b) == 0 || f.core.Appends() {
		return f.os().WriteAt(b, off)
	}
	if !f.core.Use() {
		return 0, f.error("write", os.ErrClosed)
	}
	n, err = f.sched.core.WriteAt(context.Background(), f.core, b, off)
	f.core.Done()
	if err != nil {
		return n, f.error("write", err)
	}
	return n, nil
}

// WriteAtContext is WriteAt for as long as ctx has not ended; then it returns
// how many bytes it knows to be written, and ctx's error. What a device has
// cannot be recalled; see ReadAtContext. The bytes after the first n may or
// may not have been written.
func (f *File) WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if f != nil && ctx.Err() != nil {
		return 0, f.error("write", ctx.Err())
	}
	if f == nil || f.core == nil || off < 0 || len(b) == 0 || f.core.Appends() {
		return f.os().WriteAt(b, off)
	}
	if !f.core.Use() {
		return 0, f.error("write", os.ErrClosed)
	}
	n, err = f.sched.core.WriteAt(ctx, f.core, b, off)
	f.core.Done()
	return n, f.error("write", err)
}

// ReadFrom writes what it reads from r, until io.EOF, at the file's position.
// It implements io.ReaderFrom.
func (f *File) ReadFrom(r io.Reader) (n int64, err error) {
	if f == nil || f.core == nil {
		return f.os().ReadFrom(r)
	}
	if src, limit := f.fileIn(r); src != nil {
		return f.copyFrom(src, limit)
	}
	return io.Copy(onlyWriter{f}, r)
}

// onlyWriter hides all of a File but Write, so that io.Copy uses that.
type onlyWriter struct{ f *File }

func (w onlyWriter) Write(b []byte) (int, error) { return w.f.Write(b) }

// Sync commits the file to stable storage (fsync(2)). Syncs of one File that
// are called at about the same time share an fsync, which starts after each
// of them was called. Once an fsync has lost data (EIO, ENOSPC, EDQUOT) every
// later Sync returns that error: the kernel reports it only once, and drops
// the data.
func (f *File) Sync() error { return f.SyncContext(context.Background()) }

// SyncContext is Sync, but returns ctx's error if ctx ends while the call
// waits for another's fsync, or to begin its own. An fsync that the call makes
// itself cannot be recalled, and is waited for.
func (f *File) SyncContext(ctx context.Context) error {
	if f != nil && ctx.Err() != nil {
		return f.error("sync", ctx.Err())
	}
	if f == nil || f.core == nil {
		return f.os().Sync()
	}
	if !f.core.Use() {
		return f.error("sync", os.ErrClosed)
	}
	err := f.sched.core.Sync(ctx, f.core)
	f.core.Done()
	return f.error("sync", err)
}

// datasync is fdatasync(2), see Batch.Datasync.
func (f *File) datasync(ctx context.Context) error {
	if f.core == nil {
		return f.os().Sync()
	}
	if !f.core.Use() {
		return f.error("sync", os.ErrClosed)
	}
	defer f.core.Done()
	return f.error("sync", f.sched.core.Datasync(ctx, f.core))
}

// Truncate changes the size of the file. It does not move its position.
func (f *File) Truncate(size int64) (err error) {
	if f == nil || f.core == nil {
		return f.os().Truncate(size)
	}
	f.sched.core.Block(f.core, func() { err = f.file.Truncate(size) })
	return err
}

// Seek sets the position for the next Read or Write to offset, relative to
// the start, the position or the end of the file as whence says
// (io.SeekStart, io.SeekCurrent, io.SeekEnd), and returns the new one.
func (f *File) Seek(offset int64, whence int) (pos int64, err error) {
	if f == nil || f.core == nil {
		return f.os().Seek(offset, whence)
	}
	f.core.Position(func() { pos, err = f.file.Seek(offset, whence) })
	return pos, err
}
