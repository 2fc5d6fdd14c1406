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
	// BufferSize is the size of a buffer in bytes. 0 means 512 KiB; the most is 1 GiB,
	// or sluice.Options.BufferMemory if that is less. It is rounded up to whole blocks of the
	// file (see File.Explain; 4 KiB where the page cache is used). Memory comes
	// in powers of two, and above 2 MiB in multiples of 2 MiB: such sizes waste none.
	BufferSize int

	// ReadAhead is how many buffers the stream has: those that are being read, those
	// that were read, and the one that is being consumed. 0 means 5; the most is
	// 65536; 1 reads nothing ahead. Small neighbours are read as one, up to 128 KiB, but
	// at most half of the stream's memory. A stream cannot have more than its memory in
	// flight: a fast scan wants BufferSize x ReadAhead of 1 MiB or more.
	ReadAhead int

	// Start and End are the part of the file that is read, in bytes: from Start up to,
	// but not including, End. End 0 means the end of the file. A part that reaches
	// beyond the end of the file ends there.
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
// A Reader has about BufferSize x ReadAhead bytes of the Scheduler's pool
// (sluice.Options.BufferMemory), from the first read to the end of the file or Close. Once half of
// the pool is in use it continues with one buffer. If there is none it waits, until ctx ends or the
// Scheduler is closed; Close of the File does not end that wait. So leave memory for one buffer of
// each stream.
//
// # Errors
//
// The end of the file is io.EOF; if the file grows later, the next call reads on. An error of the
// device is returned after all bytes before it, and the next call tries that place again. When the
// context has ended or the File was closed, calls return the context's error or os.ErrClosed, at
// the latest when the current buffer is consumed. Bytes that are written while they are read may be
// old or new.
//
// # Concurrency
//
// One goroutine at a time may use a Reader. Any number of Readers may read one file.
type Reader struct {
	file   *File
	start  int64 // the part that is read: from start up to end
	end    int64
	buffer int

	known   int64             // where the part ended when the file's size was last asked for
	window  *readahead.Window // which reads q holds
	q       *directio.ReadQueue
	cleanup runtime.Cleanup

	pos    int64  // of the next byte, in the file
	rest   []byte // the bytes at pos: what is left of the oldest read
	closed bool

	lastAt int64 // where the last ReadAt ended, in the file
	aside  int   // how many ReadAts in a row were not the stream's, and followed each other
}

// NewReader returns a Reader of the file, or of a part of it. The first read starts it, and the end
// of ctx ends it. The caller must close it. The error says which option is wrong, or that the file
// is closed.
func (f *File) NewReader(ctx context.Context, o ReaderOptions) (*Reader, error) {
	if f == nil {
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
	// A Reader that was dropped without Close gives its memory back, too.
	s := f.h.Sched
	r.cleanup = runtime.AddCleanup(r, func(q *directio.ReadQueue) { release(s, q.Close) }, r.q)
	return r, nil
}

// Close ends the stream. It waits for what is being read ahead and gives all memory back,
// except the Buffers of Next that the caller has. It does not close the file.
func (r *Reader) Close() error {
	if r == nil {
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

// Seek sets the position of the next read and returns it, relative to Start. The offset
// is relative to Start, to the current position or to the end, as whence says
// (io.SeekStart, io.SeekCurrent, io.SeekEnd). The end is End, or the file's end if it
// comes before. What was read ahead is kept if the position lies in it at the next read.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	if r == nil {
		return 0, os.ErrInvalid
	}
	pos, err := r.seek(offset, whence)
	if err != nil {
		return 0, pathError(r.file, "seek", err)
	}
	r.goTo(pos)
	return pos - r.start, nil
}

// goTo sets the position, and rest to what the oldest read has there.
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
