package sluice

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"runtime"
	"syscall"

	"github.com/sluiceio/sluice/internal/readahead"
)

// ReaderOptions configures a [Reader]. The zero value reads the whole file
// with five buffers of 512 KiB.
type ReaderOptions struct {
	// BufferSize is the size of a buffer in bytes, at most 1 GiB and not more
	// than Options.BufferMemory; 0 means 512 KiB. It is rounded up to whole
	// blocks of the file (DirectFile.Explain tells them; 4 KiB where the page
	// cache is used). Memory comes in powers of two, and above 2 MiB in
	// multiples of it: such sizes waste none.
	BufferSize int

	// ReadAhead is how many buffers the stream has: those that are being read,
	// those that have been, and the one that is being consumed. 1 reads
	// nothing ahead; 0 means 5; the most is 65536. Of small buffers several,
	// but never more than half, are read as one, up to 128 KiB.
	ReadAhead int

	// Start and End are the part of the file that is read, in bytes: from
	// Start up to End, which is not in it. End 0 means up to the end of the
	// file, which is also the end of a part that reaches beyond.
	Start, End int64
}

// Reader reads a DirectFile, or a part of it, from front to back, and reads
// ahead: a new request is started whenever a buffer has been consumed, so that
// the device has several all the time.
//
//	r, err := f.NewReader(ctx, sluice.ReaderOptions{})
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
// Next gives the buffers themselves; Read, ReadByte and WriteTo are those of
// package io. They can be mixed, and continue where the last one ended.
//
// # Memory
//
// A Reader has BufferSize x ReadAhead bytes and no more, however long the file.
// It takes them from the Scheduler's pool (Options.BufferMemory) at the first
// read, and gives them back at the end of the file and in Close. Where half of
// the pool is in use it goes on with one buffer, for which it waits. A program
// that reads many streams in turn must have room for one buffer of each, or
// the last one waits for ever.
//
// # Errors
//
// At the end, which is that of the file at that moment, there is io.EOF; if the
// file has grown since, the next call reads on. An error of the device comes
// when its place in the stream is reached, after all bytes before it; the next
// call tries that place again. When the context has ended, or the DirectFile was
// closed, the error is that of the context or os.ErrClosed, at the latest when
// the buffer at hand is consumed. After Close it is os.ErrClosed. What is read of
// bytes that are being written at the same time is not said, as with package os;
// how early they were read depends on ReadAhead.
//
// # Concurrency
//
// A Reader is one goroutine's at a time. Any number of Readers may read one
// file.
type Reader struct {
	file   *DirectFile
	ctx    context.Context
	start  int64 // the part that is read
	end    int64
	buffer int

	known   int64             // where the part ended when that was last asked
	window  *readahead.Window // what q holds
	q       *fetches
	cleanup runtime.Cleanup

	pos  int64  // of the next byte, in the file
	rest []byte // the bytes at pos: what is left of the oldest fetch
	// byteRead: the last call was ReadByte, and rest can be one byte longer.
	byteRead bool
	closed   bool
}

// NewReader returns a Reader of the file, or of a part of it. It reads nothing
// yet. When ctx ends so does the stream. It must be closed. The error says which
// option is wrong, or that the file is closed.
func (d *DirectFile) NewReader(ctx context.Context, o ReaderOptions) (*Reader, error) {
	if d == nil {
		return nil, os.ErrInvalid
	}
	r, err := d.newReader(ctx, o)
	if err != nil {
		return nil, pathError(d, "newreader", err)
	}
	return r, nil
}

func (d *DirectFile) newReader(ctx context.Context, o ReaderOptions) (*Reader, error) {
	switch {
	case o.Start < 0:
		return nil, fmt.Errorf("ReaderOptions.Start %d is negative", o.Start)
	case o.End != 0 && o.End < o.Start:
		return nil, fmt.Errorf("ReaderOptions.End %d is before Start %d", o.End, o.Start)
	}
	l, err := d.newLayout("ReaderOptions.BufferSize", o.BufferSize, "ReaderOptions.ReadAhead", o.ReadAhead)
	if err != nil {
		return nil, err
	}
	if o.End == 0 {
		o.End = math.MaxInt64
	}
	r := &Reader{file: d, ctx: ctx, start: o.Start, end: o.End, buffer: l.buffer, pos: o.Start, q: newFetches(d, l, d.classIn(ctx))}
	r.window = readahead.New(readahead.Span{Start: o.Start}, int64(l.run), l.runs)
	if err := d.call("newreader", r.measure); err != nil {
		return nil, err
	}
	// Who forgets to close it loses no memory for good.
	r.cleanup = runtime.AddCleanup(r, (*fetches).release, r.q)
	return r, nil
}

// Close ends the stream: what is being read ahead is waited for, and all memory
// given back, but for the Buffers that the caller has of Next. It does not
// close the file.
func (r *Reader) Close() error {
	if r == nil {
		return os.ErrInvalid
	}
	if r.closed {
		return r.file.file.error("close", os.ErrClosed)
	}
	r.closed, r.rest, r.byteRead = true, nil, false
	r.cleanup.Stop()
	r.q.release()
	return nil
}

// Seek sets the position of the next read, relative to Start, to the present
// position or to the end, as whence says (io.SeekStart, io.SeekCurrent,
// io.SeekEnd), and returns the new one, relative to Start. The end is End, or
// that of the file if that is before. What has been read ahead is kept as long
// as the position is in it when something is read next.
func (r *Reader) Seek(offset int64, whence int) (int64, error) {
	if r == nil {
		return 0, os.ErrInvalid
	}
	r.byteRead = false
	pos, err := r.seek(offset, whence)
	if err != nil {
		return 0, pathError(r.file, "seek", err)
	}
	r.pos, r.rest = pos, nil
	if f := r.q.oldest(); f != nil && pos >= f.span.Start && pos < f.span.End {
		r.rest = f.bytes(pos)
	}
	return pos - r.start, nil
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
