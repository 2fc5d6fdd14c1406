package sluice

import (
	"context"
	"io"
	"os"
)

// Read reads up to len(b) bytes from the file's position and returns how many
// it has read. At the end of the file it returns 0, io.EOF.
func (f *File) Read(b []byte) (n int, err error) {
	if f == nil || f.core == nil || len(b) == 0 {
		return f.os().Read(b)
	}
	if !f.core.Use() {
		return 0, f.error("read", os.ErrClosed)
	}
	n, err = f.sched.core.Read(f.core, b)
	f.core.Done()
	return n, f.error("read", err)
}

// ReadAt reads len(b) bytes starting at byte offset off and returns how many
// it has read. It always returns a non-nil error when n < len(b); at the end
// of the file that is io.EOF.
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	if f == nil || f.core == nil || off < 0 || len(b) == 0 {
		return f.os().ReadAt(b, off)
	}
	if !f.core.Use() {
		return 0, f.error("read", os.ErrClosed)
	}
	n, err = f.sched.core.ReadAt(context.Background(), f.core, b, off)
	f.core.Done()
	if err != nil {
		return n, f.error("read", err)
	}
	return n, nil
}

// ReadAtContext is ReadAt for as long as ctx has not ended; then it returns
// what it has read and ctx's error. A request that waits in the scheduler is
// withdrawn at once. One that the device has cannot be recalled: since the
// kernel may still write into b, ReadAtContext returns only when it is done. Where
// there is no disk I/O (see [File]), a call that has begun is not ended.
func (f *File) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if f != nil && ctx.Err() != nil {
		return 0, f.error("read", ctx.Err())
	}
	if f == nil || f.core == nil || off < 0 || len(b) == 0 {
		return f.os().ReadAt(b, off)
	}
	if !f.core.Use() {
		return 0, f.error("read", os.ErrClosed)
	}
	n, err = f.sched.core.ReadAt(ctx, f.core, b, off)
	f.core.Done()
	return n, f.error("read", err)
}

// WriteTo writes what is left of the file to w, from the file's position on.
// It implements io.WriterTo.
func (f *File) WriteTo(w io.Writer) (n int64, err error) {
	if f == nil || f.core == nil {
		return f.os().WriteTo(w)
	}
	if dst, ok := w.(*File); ok && dst != nil && dst.core != nil && !dst.core.Appends() {
		return dst.copyFrom(f, nil)
	}
	return io.Copy(w, onlyReader{f})
}

// onlyReader hides all of a File but Read, so that io.Copy uses that.
type onlyReader struct{ f *File }

func (r onlyReader) Read(b []byte) (int, error) { return r.f.Read(b) }
