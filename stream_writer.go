package sluice

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"
)

// WriterOptions configures a [Writer]. The zero value writes from the front of
// the file, with five buffers of 512 KiB.
type WriterOptions struct {
	// BufferSize is the size of a buffer in bytes; see
	// ReaderOptions.BufferSize.
	BufferSize int

	// WriteBehind is how many buffers the stream has: the one that is being
	// filled and those that are being written. 1 writes each before the next is
	// filled; 0 means 5; the most is 65536. Of small buffers several, but never
	// more than half, are written as one, up to 128 KiB.
	WriteBehind int

	// Start is where in the file the first byte goes. What is there is
	// overwritten, and never cut off. Bytes between the end of the file and
	// Start become zeros.
	Start int64
}

// Writer writes to a DirectFile from some place on, and goes on while what it
// has taken is being written.
//
//	w, err := f.NewWriter(ctx, sluice.WriterOptions{})
//	if err != nil {
//		return err
//	}
//	…
//	if _, err := w.Write(b); err != nil {
//		w.Close()
//		return err
//	}
//	…
//	return w.Close() // after w.Sync, if it must survive a crash
//
// The file is never longer than what has been written: its end goes the way
// that WriteAt takes. What makes it longer is written in order, and what
// overwrites it in any.
//
// A Writer has BufferSize x WriteBehind bytes of memory and no more, however
// much is written. It takes them from the Scheduler's pool
// (Options.BufferMemory) when it is written to, and gives them back in Flush.
// Where half of the pool is in use it goes on with fewer, one at least, for
// which it waits.
//
// # Errors
//
// What Write has taken is written later, and so an error may belong to bytes of
// an earlier call. The first error ends the stream: the call in which it is
// found returns it, that is the next one after it has happened, and so does
// every later call, Flush, Sync and Close among them. So if Flush or Close
// returns nil, all is written; if not, any part of what was written since the
// last Flush may be missing. When the context ends, its error is such an error.
// So is os.ErrClosed, if the DirectFile is closed while there is something left
// to write.
//
// # Concurrency
//
// A Writer is one goroutine's at a time. Several Writers, and WriteAt, may write
// to a file at once: different bytes never undo each other.
type Writer struct {
	file    *DirectFile
	ctx     context.Context
	q       *stores
	cleanup runtime.Cleanup

	// What is being filled, in q.filling. The first byte of mem would go to
	// off; those that are written are from start up to end.
	mem        []byte // up to the end of the run; nil if there is none
	off        int64  // the start of a block
	start, end int    // in mem

	pos    int64 // of the next byte in the file, while mem is nil
	err    error // the first one
	closed bool
}

// NewWriter returns a Writer that begins at o.Start. When ctx ends so does the
// stream. It must be closed. The error says which option is wrong, or that the
// file is closed; that it was not opened for writing is found by what writes.
func (d *DirectFile) NewWriter(ctx context.Context, o WriterOptions) (*Writer, error) {
	if d == nil {
		return nil, os.ErrInvalid
	}
	w, err := d.newWriter(ctx, o)
	if err != nil {
		return nil, pathError(d, "newwriter", err)
	}
	return w, nil
}

func (d *DirectFile) newWriter(ctx context.Context, o WriterOptions) (*Writer, error) {
	if o.Start < 0 {
		return nil, fmt.Errorf("WriterOptions.Start %d is negative", o.Start)
	}
	l, err := d.newLayout("WriterOptions.BufferSize", o.BufferSize, "WriterOptions.WriteBehind", o.WriteBehind)
	if err != nil {
		return nil, err
	}
	var size int64
	err = d.call("newwriter", func() (err error) {
		size, err = sizeOf(d.file.file)
		return err
	})
	if err != nil {
		return nil, err
	}
	w := &Writer{file: d, ctx: ctx, q: newStores(d, l, size, d.classIn(ctx)), pos: o.Start}
	// Who forgets to close it loses no memory for good.
	w.cleanup = runtime.AddCleanup(w, (*stores).release, w.q)
	return w, nil
}

// Flush writes all that was taken, and waits for it: the file has it then, and
// its exact size. It is not on stable storage yet; see Sync.
func (w *Writer) Flush() error {
	if err := w.usable(); err != nil {
		return err
	}
	w.send()
	if err := w.q.drain(w.ctx); err != nil {
		w.fail(err)
	}
	w.q.release()
	return w.err
}

// Sync is Flush, and then the file's Sync.
func (w *Writer) Sync() error {
	if err := w.Flush(); err != nil {
		return err
	}
	if err := w.file.SyncContext(w.ctx); err != nil {
		w.fail(err)
	}
	return w.err
}

// Close is Flush, and ends the stream. It does not close the file. What has
// failed before is its error too.
func (w *Writer) Close() error {
	if w == nil {
		return os.ErrInvalid
	}
	if w.closed {
		return w.file.file.error("close", os.ErrClosed)
	}
	err := w.Flush()
	w.closed = true
	w.cleanup.Stop()
	return err
}

// usable tells why nothing can be written: w is none, it is closed, something
// has failed, or the context has ended.
func (w *Writer) usable() error {
	switch {
	case w == nil:
		return os.ErrInvalid
	case w.closed:
		return w.file.file.error("write", os.ErrClosed)
	case w.err != nil:
		return w.err
	}
	if err := w.ctx.Err(); err != nil {
		w.fail(err)
	} else if w.q.failed.Load() {
		if err := w.q.drain(w.ctx); err != nil {
			w.fail(err)
		}
	}
	return w.err
}

// fail makes err, unless there was one before, what every call returns, and
// gives up what is left.
func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = pathError(w.file, "write", err)
	}
	w.mem = nil
	w.q.release()
}

// room sees to it that there is room in mem.
func (w *Writer) room() error {
	if w.mem != nil {
		return nil
	}
	run := int64(w.q.memory.size)
	if w.pos > math.MaxInt64-2*run {
		w.fail(syscall.EFBIG)
		return w.err
	}
	if err := w.q.fill(w.ctx); err != nil {
		w.fail(err)
		return w.err
	}
	g := w.file.blocks()
	w.off = g.floor(w.pos)
	w.mem = w.q.filling.Bytes()[:w.pos-w.pos%run+run-w.off]
	w.start = g.behind(w.pos)
	w.end = w.start
	return nil
}

// filled notes n more bytes in mem, and sends it when it is full.
func (w *Writer) filled(n int) {
	if w.end += n; w.end == len(w.mem) {
		w.send()
	}
}
