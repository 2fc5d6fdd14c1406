package direct

import (
	"context"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"

	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/handle"
)

// WriterOptions configures a [Writer]. The zero value writes from the front of
// the file, with five buffers of 512 KiB.
type WriterOptions struct {
	// BufferSize is the size of a buffer in bytes; see
	// ReaderOptions.BufferSize.
	BufferSize int

	// WriteBehind is how many buffers the stream has, including the one being filled. 0 means 5;
	// the most is 65536; 1 writes each buffer before the next is filled. Small neighbours are
	// written as one request.
	WriteBehind int

	// Start is the offset of the first written byte in the file. The Writer overwrites the file
	// from there on and never truncates it. Bytes between the end of the file and Start become
	// zeros.
	Start int64
}

// Writer writes to a File from some offset on. While its buffers are being written it takes more
// bytes.
//
//	w, err := f.NewWriter(ctx, direct.WriterOptions{})
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
// The file is never longer than the bytes written. Buffers that extend it are written in order;
// after one that fails no later one is written. Buffers that overwrite are written in any order.
//
// A Writer takes about BufferSize x WriteBehind bytes of the Scheduler's pool, until Flush. When
// half of the pool is in use it goes on with fewer buffers, and waits if it has none.
//
// # Errors
//
// Write returns before its bytes are written, so an error may belong to bytes of an earlier call.
// The first error ends the stream, and every later call returns it: if Flush or Close returns nil,
// all bytes are written. The end of the context, and an early Close of the File, are errors as
// well.
//
// # Concurrency
//
// One goroutine at a time may use a Writer. Several Writers, and WriteAt, may write to a file at
// once: writes of different bytes never undo each other.
type Writer struct {
	file    *File
	ctx     context.Context
	q       *directio.WriteQueue
	cleanup runtime.Cleanup

	// mem is the part of q.Filling that is being filled. Its first byte goes to off; the bytes from
	// start up to end are filled.
	mem        []byte // up to the end of the run; nil if no buffer is being filled
	off        int64  // in the file; the start of a block
	start, end int    // in mem

	pos    int64 // where the next byte goes in the file, while mem is nil
	err    error // the first error
	closed bool
}

// NewWriter returns a Writer that begins at o.Start. The end of ctx ends it. The caller must close
// it. The error names a wrong option, or says that the file is closed. If the file is not open for
// writing, the first call that writes returns the error.
func (f *File) NewWriter(ctx context.Context, o WriterOptions) (*Writer, error) {
	if f.isNil() {
		return nil, os.ErrInvalid
	}
	w, err := f.newWriter(ctx, o)
	if err != nil {
		return nil, pathError(f, "newwriter", err)
	}
	return w, nil
}

func (f *File) newWriter(ctx context.Context, o WriterOptions) (*Writer, error) {
	if ctx == nil {
		return nil, handle.ErrNilContext
	}
	if o.Start < 0 {
		return nil, fmt.Errorf("WriterOptions.Start %d is negative", o.Start)
	}
	l, err := f.newLayout("WriterOptions.BufferSize", o.BufferSize, "WriterOptions.WriteBehind", o.WriteBehind)
	if err != nil {
		return nil, err
	}
	if err := f.call("newwriter", func() error { return nil }); err != nil {
		return nil, err // the file is closed
	}
	w := &Writer{file: f, ctx: ctx, q: directio.NewWriteQueue(f.stream(ctx), f.WriteAtContext, l), pos: o.Start}
	// A Writer that was dropped without Close frees its memory, too.
	s := f.h.Sched
	w.cleanup = runtime.AddCleanup(w, func(q *directio.WriteQueue) { release(s, q.Release) }, w.q)
	return w, nil
}

// Flush writes all bytes that were taken, and waits until the file has them, and its exact size.
// They are not on stable storage yet; see Sync.
func (w *Writer) Flush() error {
	if err := w.usable(); err != nil {
		return err
	}
	w.send()
	if err := w.q.Drain(w.ctx); err != nil {
		w.fail(err)
	}
	w.q.Release()
	return w.err
}

// Sync is Flush, followed by the file's Sync.
func (w *Writer) Sync() error {
	if err := w.Flush(); err != nil {
		return err
	}
	if err := w.file.SyncContext(w.ctx); err != nil {
		w.fail(err)
	}
	return w.err
}

// Close is Flush, and ends the stream. It does not close the file. It returns an earlier error of
// the stream, too.
func (w *Writer) Close() error {
	if w.isNil() {
		return os.ErrInvalid
	}
	if w.closed {
		return w.file.h.Error("close", os.ErrClosed)
	}
	err := w.Flush()
	w.closed = true
	w.cleanup.Stop()
	return err
}

// isNil reports whether w is nil or the zero Writer.
func (w *Writer) isNil() bool { return w == nil || w.file == nil }

// usable returns nil, or the reason why w cannot write: it is nil or closed, a write has failed, or
// the context has ended.
func (w *Writer) usable() error {
	switch {
	case w.isNil():
		return os.ErrInvalid
	case w.closed:
		return w.file.h.Error("write", os.ErrClosed)
	case w.err != nil:
		return w.err
	}
	if err := w.ctx.Err(); err != nil {
		w.fail(err)
	} else if w.q.Failed() {
		if err := w.q.Drain(w.ctx); err != nil {
			w.fail(err)
		}
	}
	return w.err
}

// fail makes err the error of every later call, unless there is an earlier one, and drops the
// unwritten bytes.
func (w *Writer) fail(err error) {
	if w.err == nil {
		w.err = pathError(w.file, "write", err)
	}
	w.mem = nil
	w.q.Release()
}

// room makes sure that mem has room.
func (w *Writer) room() error {
	if w.mem != nil {
		return nil
	}
	run := int64(w.q.Memory.Size)
	left := math.MaxInt64 - w.pos
	if left == 0 {
		w.fail(syscall.EFBIG)
		return w.err
	}
	if err := w.q.Fill(w.ctx); err != nil {
		w.fail(err)
		return w.err
	}
	g := w.file.blocks()
	w.off = g.Floor(w.pos)
	end := w.pos + min(left, run-w.pos%run) // of the run that contains pos
	w.mem = w.q.Filling.Bytes()[:end-w.off]
	w.start = g.BlockOffset(w.pos)
	w.end = w.start
	return nil
}

// filled counts n more bytes in mem, and sends mem when it is full.
func (w *Writer) filled(n int) {
	if w.end += n; w.end == len(w.mem) {
		w.send()
	}
}
