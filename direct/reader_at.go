package direct

import (
	"io"
	"math"
	"os"
	"syscall"
)

// ReadAt reads len(b) bytes at off, relative to Start, and returns how many it has read. If n <
// len(b) the error is not nil; at the end of the part it is io.EOF. Reads near the stream come from
// its buffers. All other reads are as by File.ReadAt; after several of them in a row the read-ahead
// moves there. The position for Read and Next stays. One goroutine at a time may call the methods
// of a Reader.
func (r *Reader) ReadAt(b []byte, off int64) (n int, err error) {
	if r.isNil() {
		return 0, os.ErrInvalid
	}
	pos := r.pos
	n, err = r.readAt(b, off)
	r.goTo(pos)
	return n, pathError(r.file, "read", err)
}

func (r *Reader) readAt(b []byte, off int64) (n int, err error) {
	switch {
	case r.closed:
		return 0, os.ErrClosed
	case off < 0, off > math.MaxInt64-r.start, int64(len(b)) > math.MaxInt64-r.start-off:
		return 0, syscall.EINVAL
	case len(b) == 0:
		return 0, nil
	}
	pos := r.start + off
	all := len(b)
	if left := max(0, r.end-pos); int64(all) > left {
		b = b[:left]
	}
	if r.goesTo(pos) {
		n = r.take(b, pos)
	}
	if n < len(b) {
		var m int
		m, err = r.file.ReadAtContext(r.q.Ctx, b[n:], pos+int64(n))
		n += m
	}
	r.lastAt = pos + int64(n)
	if err == nil && n < all {
		err = io.EOF
	}
	return n, err
}

// asideMost is how many reads in a row go beside the stream before the stream moves to them. With
// fewer, a caller that reads two places in turn would move the stream with each read.
const asideMost = 4

// goesTo reports whether the stream serves a read at pos.
func (r *Reader) goesTo(pos int64) bool {
	if r.window.Near(pos) {
		r.aside = 0
		return true
	}
	if r.aside == 0 || pos >= r.lastAt && pos-r.lastAt <= int64(r.q.Memory.Size) {
		r.aside++
	} else {
		r.aside = 1
	}
	if r.aside < asideMost {
		return false
	}
	r.aside = 0
	return true
}

// take copies the bytes from pos on from the stream to b. It waits for reads in progress. It
// returns fewer bytes than b has if there is no memory, or if the file ends or cannot be read
// there.
func (r *Reader) take(b []byte, pos int64) (n int) {
	if core := r.file.h.IO; core != nil {
		if !core.Use() {
			return 0
		}
		defer core.Done()
	}
	for n < len(b) && r.q.Ctx.Err() == nil {
		r.pos = pos + int64(n)
		r.move()
		have, _ := r.await() // after an error the caller reads the rest directly
		if len(have) == 0 {
			return n
		}
		n += copy(b[n:], have)
	}
	r.pos = pos + int64(n)
	if !r.q.Later {
		r.move() // the next fetch starts once the oldest was consumed
		r.q.Submit()
	}
	return n
}
