package sluice

import (
	"context"
	"io"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/sys"
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
	if f == nil || f.h.IO == nil || off < 0 || len(b) == 0 || f.h.IO.Appends {
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
//
// A buffered write is a plain call, and only a part of a device's permits (Explain) is for plain
// calls whose context can end. If ctx ends after a write to a file with O_SYNC or O_DSYNC was
// made, and before it is known to be safe, the error says so: call Sync to know.
func (f *File) WriteAtContext(ctx context.Context, b []byte, off int64) (n int, err error) {
	if err := handle.ContextError(ctx); f != nil && err != nil {
		return 0, f.h.Error("write", err)
	}
	if f == nil || f.h.IO == nil || off < 0 || len(b) == 0 || f.h.IO.Appends {
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
	return f.plainCall("truncate", func() error { return f.h.Truncate(size) })
}

// change calls do, a plain call that changes the file's metadata. op names it in errors.
func (f *File) change(op string, do func(file *os.File) error) error {
	if f == nil || f.h.IO == nil {
		return do(f.os())
	}
	return f.plainCall(op, func() error { return do(f.h.OS) })
}

// plainCall calls do, a plain call, with a permit, and keeps the file open until do returns. op
// names it in errors. It returns do's error, which is one of package os.
func (f *File) plainCall(op string, do func() error) error {
	return f.h.Using(op, func() error { return f.h.PlainCall(do) })
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
		return f.h.PlainRead(func() (err error) {
			pos, err = f.h.OS.Seek(offset, whence)
			return err
		})
	})
	return pos, err
}

// Sync commits the file to stable storage (fsync(2)). Concurrent Syncs and Datasyncs of one File
// share an fsync, which starts after each of them was called.
//
// Once an fsync has failed, every later Sync and Datasync of the File returns its error, even if
// its cause is gone, such as a full disk: the kernel may have dropped the data, and reports that
// once, to the first fsync that asks. Write the data to a new file, and use one File for all users
// of a descriptor. The errors EINVAL, EROFS, EBADF, ENOSYS and EOPNOTSUPP, which mean that the file
// can have no fsync, are not kept.
func (f *File) Sync() error { return f.SyncContext(context.Background()) }

// SyncContext is Sync, but returns ctx's error if ctx ends before its fsync begins, or while it
// waits for a shared fsync. It does not abandon an fsync that it makes itself.
func (f *File) SyncContext(ctx context.Context) error {
	return f.commit(ctx, (*sched.Scheduler).Sync)
}

// Datasync commits the data, and the metadata that reading it needs, such as the size
// (fdatasync(2)). A crash may lose other metadata, such as the time of modification. It shares
// calls and remembers errors as [File.Sync] does. It is Sync on systems other than Linux, and for
// files without disk I/O.
func (f *File) Datasync() error { return f.DatasyncContext(context.Background()) }

// DatasyncContext is Datasync, but returns early if ctx ends; see [File.SyncContext].
func (f *File) DatasyncContext(ctx context.Context) error {
	return f.commit(ctx, (*sched.Scheduler).Datasync)
}

// commit calls do, which is Sync or Datasync of the core.
func (f *File) commit(ctx context.Context, do func(*sched.Scheduler, context.Context, *sched.File) error) error {
	if err := handle.ContextError(ctx); f != nil && err != nil {
		return f.h.Error("sync", err)
	}
	switch {
	case f == nil || f.h.OS == nil: // nil, or the zero File
		return os.ErrInvalid
	case f.h.IO == nil:
		return f.h.PlainSync()
	}
	if !f.h.IO.Use() {
		return f.h.Error("sync", os.ErrClosed)
	}
	err := do(f.h.Sched.Core, ctx, f.h.IO)
	f.h.IO.Done()
	return f.h.Error("sync", err)
}
