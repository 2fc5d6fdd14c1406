package direct

import (
	"errors"
	"io"

	"github.com/sluiceio/sluice/internal/directio"
)

// Write copies b into the stream's buffers, and starts to write each full buffer. Flush writes the
// last one. Write returns how many bytes it has taken. If n < len(b) there is an error, which may
// belong to earlier bytes.
func (w *Writer) Write(b []byte) (n int, err error) {
	if err := w.usable(); err != nil {
		return 0, err
	}
	for n < len(b) {
		if err := w.room(); err != nil {
			return n, err
		}
		m := copy(w.mem[w.end:], b[n:])
		n += m
		w.filled(m)
		if w.err != nil {
			return n, w.err
		}
	}
	return n, nil
}

// ReadFrom reads from r until io.EOF, straight into the stream's buffers. It returns how many bytes
// it has taken. It returns r's error, which does not end the stream.
func (w *Writer) ReadFrom(r io.Reader) (n int64, err error) {
	if err := w.usable(); err != nil {
		return 0, err
	}
	for empty := 0; err == nil; {
		if err := w.room(); err != nil {
			return n, err
		}
		var m int
		m, err = r.Read(w.mem[w.end:])
		if m < 0 || m > len(w.mem)-w.end {
			return n, errors.New("sluice: a Reader returned an impossible count from Read")
		}
		n += int64(m)
		w.filled(m)
		if err1 := w.usable(); err1 != nil {
			return n, err1
		}
		if empty++; m > 0 {
			empty = 0
		} else if err == nil && empty == emptyReads {
			err = io.ErrNoProgress
		}
	}
	return n, directio.NotEOF(err)
}

// emptyReads is how many Reads in a row may return no bytes and no error.
const emptyReads = 100

// send writes the bytes in mem. It does not wait for whole blocks. It writes a part of a block by
// WriteAt, which waits.
func (w *Writer) send() {
	if w.mem == nil {
		return
	}
	b, off := w.mem[w.start:w.end], w.off+int64(w.start)
	w.mem = nil
	w.pos = off + int64(len(b))
	head, body := w.cut(off, len(b))
	err := w.write(b[:head], off)
	if err == nil && body > 0 {
		err = w.q.Start(w.ctx, b[head:head+body], off+int64(head))
	}
	if err == nil {
		err = w.write(b[head+body:], off+int64(head+body))
	}
	w.q.Filled()
	if err != nil {
		w.fail(err)
	}
}

// cut splits the n bytes at off: WriteAt writes the first head bytes, and then body bytes of whole
// blocks follow.
func (w *Writer) cut(off int64, n int) (head, body int) {
	d := w.file.direct
	switch {
	case w.file.h.IO == nil || w.q.Cap() == 1:
		return n, 0 // one at a time may be a plain call, which the scheduler decides best
	case d == nil:
		return 0, n
	}
	head = -d.BlockOffset(off) & (d.Block() - 1)
	if head >= n || d.Past(off, n) {
		return n, 0
	}
	body = (n - head) &^ (d.Block() - 1)
	if head+body < n && n <= directio.BounceSmall {
		return n, 0 // one call through the page cache writes all of it
	}
	return head, body
}

// write writes b and waits for it.
func (w *Writer) write(b []byte, off int64) error {
	if len(b) == 0 {
		return nil
	}
	if err := w.q.Settle(w.ctx); err != nil {
		return err
	}
	_, err := w.file.WriteAtContext(w.ctx, b, off)
	return err
}
