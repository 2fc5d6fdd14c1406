package direct

import (
	"errors"
	"io"
	"os"

	"github.com/sluiceio/sluice/internal/directio"
)

// Next returns the bytes from the position up to the next multiple of BufferSize in the file, or to
// the end of the part that is read. The caller must release the Buffer, and should do so before the
// next call: held Buffers take memory beside the stream's. Next does not allocate.
func (r *Reader) Next() (Buffer, error) {
	if err := r.ready(); err != nil {
		return Buffer{}, err
	}
	n := min(len(r.rest), r.buffer-int(r.pos%int64(r.buffer)))
	b := r.q.Oldest().Share(r.pos, n)
	r.advance(n)
	return Buffer{b}, nil
}

// Read reads up to len(b) bytes from the current buffer. It waits for the disk only if that buffer
// is empty.
func (r *Reader) Read(b []byte) (n int, err error) {
	if len(b) == 0 && r != nil && !r.closed {
		return 0, nil
	}
	if err := r.ready(); err != nil {
		return 0, err
	}
	n = copy(b, r.rest)
	r.advance(n)
	if len(r.rest) == 0 {
		r.consumed()
	}
	return n, nil
}

// WriteTo writes all bytes from the position to the end to w, one buffer after the other, without a
// copy. It returns how many bytes w has taken, and moves the position over them.
func (r *Reader) WriteTo(w io.Writer) (n int64, err error) {
	for {
		if err := r.ready(); err != nil {
			return n, directio.NotEOF(err)
		}
		want := len(r.rest)
		m, err := w.Write(r.rest)
		if m < 0 || m > want {
			return n, errors.New("sluice: a Writer returned an impossible count from Write")
		}
		r.advance(m)
		n += int64(m)
		if err == nil && m < want {
			err = io.ErrShortWrite
		}
		if err != nil {
			return n, err
		}
	}
}

// ready makes sure that rest has bytes, or returns the reason why not.
func (r *Reader) ready() error {
	if r.isNil() {
		return os.ErrInvalid
	}
	if len(r.rest) > 0 {
		return nil
	}
	return pathError(r.file, "read", r.load())
}

// advance moves the position over the first n bytes of rest.
func (r *Reader) advance(n int) {
	r.rest = r.rest[n:]
	r.pos += int64(n)
}
