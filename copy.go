package sluice

import (
	"context"
	"errors"
	"io"
	"math"
	"os"
	"reflect"
	"syscall"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
)

// WriteTo writes the rest of the file, from its position on, to w. It implements io.WriterTo.
//
// The kernel copies where it can: by sendfile(2) to a stream socket, and as in ReadFrom to another
// file. A slow receiver holds up no other operation. Once the Scheduler has classes,
// WriteTo falls back to Read calls.
func (f *File) WriteTo(w io.Writer) (n int64, err error) {
	if f == nil || f.h.IO == nil {
		return f.os().WriteTo(w)
	}
	if f.simulated() || f.hasClasses() { // each Read is an operation of its class
		return io.Copy(w, onlyReader{f})
	}
	switch dst := w.(type) {
	case *File:
		if dst != nil && dst.h.IO != nil && !dst.h.IO.Appends && !dst.simulated() {
			return dst.copyFrom(source{f.h.OS, f}, nil)
		}
	case *os.File:
		if hasDiskIO(dst) {
			return f.copyTo(dst)
		}
	}
	if n, handled, err := f.sendTo(w); handled {
		return n, err
	}
	return io.Copy(w, fileWithoutWriteTo{File: f})
}

// ReadFrom writes the bytes of r, until io.EOF, at the file's position. It implements
// io.ReaderFrom.
//
// The kernel copies where it can: from a stream socket by splice(2), from another file by
// copy_file_range(2), which shares blocks on file systems with reflinks. Each copy is a plain call.
// Once either file's Scheduler has classes, ReadFrom falls back to Write calls.
func (f *File) ReadFrom(r io.Reader) (n int64, err error) {
	if f == nil || f.h.IO == nil {
		return f.os().ReadFrom(r)
	}
	// Neither copy_file_range nor splice takes such a file, and each Write is an operation of its
	// class.
	if f.h.IO.Appends || f.simulated() || f.hasClasses() {
		return io.Copy(onlyWriter{f}, r)
	}
	limit, from := limitOf(r)
	src := sourceOf(from)
	if src.of.simulated() || src.of.hasClasses() {
		return io.Copy(onlyWriter{f}, r)
	}
	if src.file != nil {
		return f.copyFrom(src, limit)
	}
	if n, handled, err := f.receiveFrom(from, limit); handled {
		return n, err
	}
	return io.Copy(onlyWriter{f}, r)
}

// simulated reports whether f is on a disk of package sluicetest. The kernel must not copy from it,
// because it would miss bytes that the disk still holds back. Nor may the kernel copy to it: the
// disk would not know of the copy, and Sync would not keep it.
func (f *File) simulated() bool { return f != nil && f.h.Sched.Disk != nil }

// hasClasses reports whether f's Scheduler has classes. If it has, f is copied by Reads and Writes.
func (f *File) hasClasses() bool { return f != nil && f.h.Sched.Core.Classes().Active() }

// limitOf splits r into its limit, or nil, and the Reader behind it.
func limitOf(r io.Reader) (*io.LimitedReader, io.Reader) {
	if l, ok := r.(*io.LimitedReader); ok {
		return l, l.R
	}
	return nil, r
}

// onlyReader hides all methods of a File but Read, so that io.Copy calls Read.
type onlyReader struct{ f *File }

func (r onlyReader) Read(b []byte) (int, error) { return r.f.Read(b) }

// onlyWriter hides all methods of a File but Write, so that io.Copy calls Write.
type onlyWriter struct{ f *File }

func (w onlyWriter) Write(b []byte) (int, error) { return w.f.Write(b) }

// fileWithoutWriteTo is a File without WriteTo, for io.Copy. SyscallConn stays visible, so an
// http.ResponseWriter may still have the kernel copy the file.
type fileWithoutWriteTo struct {
	noWriteTo //nolint:unused // hides WriteTo
	*File
}

// noWriteTo makes WriteTo ambiguous in a struct that embeds it beside a File.
type noWriteTo struct{} //nolint:unused // see there

// WriteTo is never called.
func (noWriteTo) WriteTo(io.Writer) (int64, error) { panic("WriteTo is hidden") } //nolint:unused // see there

// copyChunk is how many bytes one plain call copies from file to file. It is small enough that the
// call soon returns its permit.
const copyChunk = 16 << 20 // 16 MiB

// source is a file from which is copied.
type source struct {
	file *os.File
	of   *File // the File around file, or nil if the caller has passed an *os.File
}

// sourceOf returns the file with disk I/O that r reads, or the zero source if r reads
// none.
func sourceOf(r io.Reader) source {
	switch src := r.(type) {
	case *File:
		return src.source()
	case fileWithoutWriteTo:
		return src.source()
	}
	if f := osFileIn(r); f != nil && hasDiskIO(f) {
		return source{f, nil}
	}
	return source{}
}

// hasDiskIO reports whether f has disk I/O. If the system does not say, it returns false, and f is
// copied by Reads and Writes.
func hasDiskIO(f *os.File) bool {
	core, err := handle.NewIO(f)
	return err == nil && core != nil
}

func (f *File) source() source {
	if f == nil || f.h.IO == nil {
		return source{}
	}
	return source{f.h.OS, f}
}

// osFileIn returns the *os.File in r, or nil. os.File.WriteTo passes a struct of package os that
// embeds the os.File.
func osFileIn(r io.Reader) *os.File {
	if f, ok := r.(*os.File); ok {
		return f
	}
	v := reflect.ValueOf(r)
	if v.Kind() != reflect.Struct || v.Type().PkgPath() != "os" {
		return nil
	}
	if v = v.FieldByName("File"); !v.IsValid() {
		return nil
	}
	f, _ := v.Interface().(*os.File)
	return f
}

// copyFrom copies src by copy_file_range(2), as package os does. A non-nil limit bounds the copy.
func (f *File) copyFrom(src source, limit *io.LimitedReader) (n int64, err error) {
	if limit != nil && limit.N <= 0 {
		return 0, nil
	}
	if !f.h.IO.Use() {
		return 0, f.h.Error("write", os.ErrClosed)
	}
	defer f.h.IO.Done()
	if src.of != nil {
		if !src.of.h.IO.Use() {
			return 0, f.h.Error("write", os.ErrClosed)
		}
		defer src.of.h.IO.Done()
	}
	return inChunks(limit, func(most int64) (n int64, err error) {
		lockPositions(f, src.of, func() { n, err = f.copyInto(src.file, most, limit) })
		return n, err
	})
}

// copyTo copies the rest of f to dst by copy_file_range(2).
func (f *File) copyTo(dst *os.File) (n int64, err error) {
	if !f.h.IO.Use() {
		return 0, f.h.Error("read", os.ErrClosed)
	}
	defer f.h.IO.Done()
	return inChunks(nil, func(most int64) (n int64, err error) {
		f.h.IO.Position(func() { n, err = f.copyChunk(dst.ReadFrom, f.h.OS, most, nil) })
		return n, err
	})
}

// inChunks calls piece until it copies less than it may, or until a non-nil limit is reached. piece
// copies at most the given number of bytes.
func inChunks(limit *io.LimitedReader, piece func(most int64) (int64, error)) (n int64, err error) {
	for {
		most := int64(copyChunk)
		if limit != nil {
			most = min(most, limit.N)
		}
		m, err := piece(most)
		n += m
		if err != nil || m < most || limit != nil && limit.N == 0 {
			return n, err
		}
	}
}

// copyInto is copyChunk to f. With O_SYNC or O_DSYNC the kernel ends the copy with an fsync. The
// kernel reports a lost write to only one fsync, so the copy and the writes beside it share their
// losses. An error of reading src counts as a loss, too: copy_file_range(2) does not tell them
// apart.
func (f *File) copyInto(src io.Reader, most int64, limit *io.LimitedReader) (n int64, err error) {
	losses := f.h.IO.LostWrites
	mark, res := losses.Mark(), int32(0)
	n, err = f.copyChunk(func(chunk io.Reader) (int64, error) {
		// with the permit: writes beside the copy wait for its end
		call := losses.Begin()
		n, err := f.h.OS.ReadFrom(chunk)
		res = int32(min(n, math.MaxInt32))
		if errno, ok := errors.AsType[syscall.Errno](err); ok {
			res = -int32(errno)
		}
		losses.End(call, res)
		return n, err
	}, src, most, limit)
	if res = losses.Confirm(context.Background(), mark, res); res < 0 && err == nil {
		err = f.h.Error("write", syscall.Errno(-res))
	}
	return n, err
}

// copyChunk copies at most most bytes from src to the *os.File whose ReadFrom is dst. One of the
// two is f; both use their positions. copyChunk lowers a non-nil limit by the bytes copied. The
// copy is a plain call.
func (f *File) copyChunk(dst func(io.Reader) (int64, error), src io.Reader, most int64, limit *io.LimitedReader) (n int64, err error) {
	chunk := io.LimitedReader{R: src, N: most}
	f.h.Sched.Core.WithPermit(sched.Changes, f.h.IO, func() { n, err = dst(&chunk) })
	f.h.Sched.Core.Copied(n)
	if limit != nil {
		limit.N -= most - chunk.N
	}
	return n, err
}

// lockPositions calls do while no other operation uses the position of a or b. b may be nil. The
// older File is locked first, so two copies in opposite directions cannot deadlock.
func lockPositions(a, b *File, do func()) {
	if b == nil || a.h.Number == b.h.Number { // or views of one
		a.h.IO.Position(do)
		return
	}
	if a.h.Number > b.h.Number {
		a, b = b, a
	}
	a.h.IO.Position(func() { b.h.IO.Position(do) })
}
