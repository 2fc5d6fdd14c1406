package sluice

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
)

// Read reads up to len(b) bytes from the file's position and returns how many
// it has read. At the end of the file it returns 0, io.EOF. Descriptors that share
// the position (dup(2), OSFile, another process) may read at the same time: each
// gets bytes of its own, as by read(2). If a Read of one of them fails, or the file grows
// while several read at its end, some bytes may be read twice, or by none.
func (f *File) Read(b []byte) (n int, err error) {
	if f == nil || f.h.Core == nil || len(b) == 0 {
		return f.os().Read(b)
	}
	if !f.h.Core.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.Read(f.h.Core, b)
	f.h.Core.Done()
	return n, f.h.Error("read", err)
}

// ReadAt reads len(b) bytes starting at byte offset off and returns how many
// it has read. It always returns a non-nil error when n < len(b); at the end
// of the file that is io.EOF.
//
// It may be made in parts, between which a WriteAt of the same bytes can come. So ReadAt
// may return a part of that write, even where a single pread(2) returns all of it or
// nothing (xfs).
func (f *File) ReadAt(b []byte, off int64) (n int, err error) {
	if f == nil || f.h.Core == nil || off < 0 || len(b) == 0 {
		return f.os().ReadAt(b, off)
	}
	if !f.h.Core.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.ReadAt(context.Background(), f.h.Core, b, off)
	f.h.Core.Done()
	if err != nil {
		return n, f.h.Error("read", err)
	}
	return n, nil
}

// ReadAtContext is ReadAt, but returns early if ctx ends: with the number of bytes read so
// far, and ctx's error. It returns no error if all of b was read. If ctx has ended before the
// call, nothing is read.
//
// A request that still waits in the scheduler is withdrawn at once. A request that the kernel
// has cannot be withdrawn, because the kernel may still write into b: ReadAtContext returns
// when the kernel is done. If the device does not answer, as while its file system is frozen
// (fsfreeze(8)), that may be long, so the kernel has only a few requests with a context for such
// a device at a time; the others are withdrawn. Where the driver would need a thread, and where
// the file has no disk I/O (see [File]), the request is a system call, which cannot be withdrawn
// either once it has begun.
func (f *File) ReadAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if err := handle.ContextError(ctx); f != nil && err != nil {
		return 0, f.h.Error("read", err)
	}
	if f == nil || f.h.Core == nil || off < 0 || len(b) == 0 {
		return f.os().ReadAt(b, off)
	}
	if !f.h.Core.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	n, err = f.h.Sched.Core.ReadAt(ctx, f.h.Core, b, off)
	f.h.Core.Done()
	return n, f.h.Error("read", err)
}
