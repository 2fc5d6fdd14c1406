package direct

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"syscall"

	"github.com/sluiceio/sluice/internal/directio"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/readahead"
)

// ReaderOptions configures a [Reader]. The zero value reads the whole file
// with five buffers of 512 KiB.
type ReaderOptions struct {
	// BufferSize is the size of a buffer in bytes, rounded up to whole blocks of the file (see
	// File.Explain). 0 means 512 KiB; the most is 1 GiB, or sluice.Options.BufferMemory if that is
	// less. Powers of two waste no memory; above 2 MiB, multiples of 2 MiB waste none either.
	BufferSize int

	// ReadAhead is how many buffers the stream has, including the one in use. 0 means 5; the most
	// is 65536; 1 reads nothing ahead. The stream has at most BufferSize x ReadAhead bytes in
	// flight: a fast scan wants 1 MiB or more. Small neighbours are read as one request.
	ReadAhead int

	// Start and End bound the part of the file that is read, in bytes: from Start up to, but not
	// including, End. End 0 means the end of the file. A part that reaches beyond the end of the
	// file ends there.
	Start, End int64
}

// Reader reads a File, or a part of it, from front to back, and reads ahead. It starts a request
// whenever a buffer has been consumed, so the device always has several.
//
//	r, err := f.NewReader(ctx, direct.ReaderOptions{})
//	if err != nil {
//		return err
//	}
//	defer r.Close()
//	for {
//		b, err := r.Next() // the bytes that were read, no copy of them
//		if err == io.EOF {
//			break
//		}
//		…
//		use(b.Bytes())
//		b.Release()
//	}
//
// Next returns the buffers themselves. Read, WriteTo and Seek are as in package io, and can be
// mixed with Next: each continues where the last one ended. ReadAt reads elsewhere.
//
// # Memory
//
// A Reader takes about BufferSize x ReadAhead bytes of the Scheduler's pool
// (sluice.Options.BufferMemory), from the first read to the end of the file or Close. When half of
// the pool is in use, it goes on with the memory of one request: a buffer, or several small ones.
// Without any it waits, until ctx ends or the Scheduler is closed; Close of the File does not end
// that wait. So half of the pool must have room for a request of each stream
// (docs/streams-and-memory.md).
//
// # Errors
//
// The end of the file is io.EOF; if the file grows later, the next call reads on. An error of the
// device is returned after all bytes before it, and the next call tries that place again. Once the
// context has ended or the File was closed, calls return the context's error or os.ErrClosed, at
// the latest when the current buffer is consumed. A read may return the old or the new bytes of a
// concurrent write.
//
// # Concurrency
//
// One goroutine at a time may use a Reader. Any number of Readers may read one file.
type Reader struct {
	file   *File
	start  int64 // the part of the file that is read: from start up to end
	end    int64
	buffer int

	known   int64             // where the part ends, by the last look at the file's size
	window  *readahead.Window // the positions of q's reads
	q       *directio.ReadQueue
	cleanup runtime.Cleanup

	pos    int64  // of the next byte, in the file
	rest   []byte // the bytes at pos: the rest of the oldest read
	closed bool

	lastAt int64 // where the last ReadAt ended, in the file
	aside  int   // how many ReadAts in a row were not near the stream, and near each other
}

// NewReader returns a Reader of the file, or of a part of it. The first read starts it, and the end
// of ctx ends it. The caller must close it. The error names a wrong option, or says that the file
// is closed.
func (f *File) NewReader(ctx context.Context, o ReaderOptions) (*Reader, error) {
	if f.isNil() {
		return nil, os.ErrInvalid
	}
	r, err := f.newReader(ctx, o)
	if err != nil {
		return nil, pathError(f, "newreader", err)
	}
	return r, nil
}

func (f *File) newReader(ctx context.Context, o ReaderOptions) (*Reader, error) {
	switch {
	case ctx == nil:
		return nil, handle.ErrNilContext
	case o.Start < 0:
		return nil, fmt.Errorf("ReaderOptions.Start %d is negative", o.Start)
	case o.End != 0 && o.End < o.Start:
		return nil, fmt.Errorf("ReaderOptions.End %d is before Start %d", o.End, o.Start)
	}
	l, err := f.newLayout("ReaderOptions.BufferSize", o.BufferSize, "ReaderOptions.ReadAhead", o.ReadAhead)
	if err != nil {
		return nil, err
	}
	if o.End == 0 {
		o.End = math.MaxInt64
	}
	r := &Reader{file: f, start: o.Start, end: o.End, buffer: l.Buffer, pos: o.Start}
	r.window = readahead.New(readahead.Span{Start: o.Start}, int64(l.Run), l.Runs)
	err = f.call("newreader", func() error {
		r.q = directio.NewReadQueue(ctx, f.stream(ctx), f.fill, l)
		return r.measure()
	})
	if err != nil {
		if r.q != nil {
			r.q.Close()
		}
		return nil, err
	}
	// A Reader that was dropped without Close frees its memory, too.
	s := f.h.Sched
	r.cleanup = runtime.AddCleanup(r, func(q *directio.ReadQueue) { release(s, q.Close) }, r.q)
	return r, nil
}

// isNil reports whether r is nil or the zero Reader.
func (r *Reader) isNil() bool { return r == nil || r.file == nil }

// Close ends the stream. It waits for reads in progress and frees all memory, except the caller's
// Buffers from Next. It does not close the file.
func (r *Reader) Close() error {
	if r.isNil() {
		return os.ErrInvalid
	}
	if r.closed {
		return r.file.h.Error("close", os.ErrClosed)
	}
	r.closed, r.rest = true, nil
	r.cleanup.Stop()
	r.q.Close()
	return nil
}

// Seek sets the position of the next read and returns it. Positions are relative to Start; offset
// is relative to Start, to the current position or to the end (io.SeekStart, io.SeekCurrent,
// io.SeekEnd). The end is End, or the file's end if it comes before. If the next read is in a
// buffer that was read ahead, that buffer serves it.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	if r.isNil() {
		return 0, os.ErrInvalid
	}
	pos, err := r.seek(offset, whence)
	if err != nil {
		return 0, pathError(r.file, "seek", err)
	}
	r.goTo(pos)
	return pos - r.start, nil
}

// goTo sets the position, and rest to the bytes that the oldest read has there.
func (r *Reader) goTo(pos int64) {
	r.pos, r.rest = pos, nil
	if f := r.q.Oldest(); f != nil && pos >= f.Span.Start && pos < f.Span.End {
		r.rest = f.Bytes(pos)
	}
}

func (r *Reader) seek(offset int64, whence int) (pos int64, err error) {
	if r.closed {
		return 0, os.ErrClosed
	}
	switch whence {
	case io.SeekStart:
		pos = r.start
	case io.SeekCurrent:
		pos = r.pos
	case io.SeekEnd:
		size, err := r.file.Size()
		if err != nil {
			return 0, err
		}
		pos = max(min(size, r.end), r.start)
	default:
		return 0, fmt.Errorf("whence %d: %w", whence, syscall.EINVAL)
	}
	if offset > math.MaxInt64-pos || offset < r.start-pos {
		return 0, fmt.Errorf("offset %d: %w", offset, syscall.EINVAL)
	}
	return pos + offset, nil
}
