package sluice

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
)

// Read reads up to len(b) bytes from the file's position and returns how many it has read. At the
// end of the file it returns 0, io.EOF. Descriptors that share the position (dup(2), OSFile,
// another process) read different bytes, as with read(2). If one of their Reads fails, or if the
// file grows while several read at its end, some bytes may be read twice or skipped.
func (f *File) Read(b []byte) (n int, err error) {
	if f == nil || f.h.IO == nil || len(b) == 0 {
		return f.os().Read(b)
	}
	if !f.h.IO.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.Read(f.h.IO, b)
	f.h.IO.Done()
	return n, f.h.Error("read", err)
}

// ReadAt reads len(b) bytes at byte offset off and returns how many it has read. If n < len(b) the
// error is not nil; at the end of the file it is io.EOF. ReadAt is not atomic with overlapping
// WriteAts, even on a file system whose pread(2) is (xfs).
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	if f == nil || f.h.IO == nil || off < 0 || len(b) == 0 {
		return f.os().ReadAt(b, off)
	}
	if !f.h.IO.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.ReadAt(context.Background(), f.h.IO, b, off)
	f.h.IO.Done()
	if err != nil {
		return n, f.h.Error("read", err)
	}
	return n, nil
}

// ReadAtContext is ReadAt, but if ctx ends early it returns the number of bytes read so far, and
// ctx's error. If ctx has ended before the call, nothing is read.
//
// An operation that waits in the Scheduler is withdrawn at once. An operation in the kernel may
// still write into b, so ReadAtContext waits until it completes.
func (f *File) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if err := handle.ContextError(ctx); f != nil && err != nil {
		return 0, f.h.Error("read", err)
	}
	if f == nil || f.h.IO == nil || off < 0 || len(b) == 0 {
		return f.os().ReadAt(b, off)
	}
	if !f.h.IO.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.ReadAt(ctx, f.h.IO, b, off)
	f.h.IO.Done()
	return n, f.h.Error("read", err)
}
