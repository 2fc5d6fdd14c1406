package sluice

import (
	"io"
	"os"
)

// WriteTo writes what is left of the file to w, from the file's position on.
// It implements io.WriterTo.
//
// Where the kernel can copy by itself, it does: to a stream socket by sendfile(2), to
// another file as by ReadFrom. For a socket it waits for the file as Read does, and a slow
// receiver holds up no other operation. Once the Scheduler has a [Class], WriteTo is Reads.
func (f *File) WriteTo(w io.Writer) (n int64, err error) {
	if f == nil || f.h.Core == nil {
		return f.os().WriteTo(w)
	}
	if f.simulated() || f.hasClasses() { // each Read is an operation of its class
		return io.Copy(w, onlyReader{f})
	}
	switch dst := w.(type) {
	case *File:
		if dst != nil && dst.h.Core != nil && !dst.h.Core.Appends() && !dst.simulated() {
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

// ReadFrom writes what it reads from r, until io.EOF, at the file's position.
// It implements io.ReaderFrom.
//
// Where the kernel can copy by itself, it does: from a stream socket by splice(2), from
// another file by copy_file_range(2), which shares the blocks where the file system can.
// Each copy needs a thread, as a Write does, and the number of threads is bounded
// (Options.Threads): further copies wait. Once the Scheduler of either file has a
// [Class], ReadFrom is Writes.
func (f *File) ReadFrom(r io.Reader) (n int64, err error) {
	if f == nil || f.h.Core == nil {
		return f.os().ReadFrom(r)
	}
	// Neither copy_file_range nor splice takes such a file, and each Write is an operation of its class.
	if f.h.Core.Appends() || f.simulated() || f.hasClasses() {
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

// simulated reports whether f is on a disk of package sluicetest. The kernel must copy neither from
// such a file nor to it: it would miss what the disk still holds back, and the disk would not know
// of the copy, so that a Sync afterwards would keep nothing.
func (f *File) simulated() bool { return f != nil && f.h.Sched.Disk != nil }

// hasClasses reports whether f's Scheduler has classes. Then f is copied by its Reads and Writes.
func (f *File) hasClasses() bool { return f != nil && f.h.Sched.Core.HasClasses() }

// limitOf returns r's limit, nil if it has none, and the Reader behind it.
func limitOf(r io.Reader) (*io.LimitedReader, io.Reader) {
	if l, ok := r.(*io.LimitedReader); ok {
		return l, l.R
	}
	return nil, r
}

// onlyReader hides all of a File but Read, so that io.Copy uses that.
type onlyReader struct{ f *File }

func (r onlyReader) Read(b []byte) (int, error) { return r.f.Read(b) }

// onlyWriter hides all of a File but Write, so that io.Copy uses that.
type onlyWriter struct{ f *File }

func (w onlyWriter) Write(b []byte) (int, error) { return w.f.Write(b) }

// fileWithoutWriteTo is a File without WriteTo, for io.Copy. It keeps SyscallConn, so that
// the writer may still have the kernel copy, as an http.ResponseWriter does.
type fileWithoutWriteTo struct {
	noWriteTo //nolint:unused // hides WriteTo
	*File
}

// noWriteTo makes WriteTo ambiguous in a struct that embeds it beside a File.
type noWriteTo struct{} //nolint:unused // see there

// WriteTo is never called.
func (noWriteTo) WriteTo(io.Writer) (int64, error) { panic("WriteTo is hidden") } //nolint:unused // see there
