package content

import (
	"bytes"
	"fmt"
)

// verify reads both files and compares them. What was written is put on disk and
// out of the page cache before, where the system does that.
func (j *job) verify() error {
	if err := forget(j.dst.FD); err != nil {
		return &Error{"fdatasync", false, err}
	}
	length := j.result.Bytes + j.result.Holes
	now, err := size(j.dst.FD)
	if err != nil {
		return &Error{"fstat", false, err}
	}
	if now != length && j.dst.Kind == Regular {
		return &Error{"verify", false, fmt.Errorf("%w: it is %d bytes long, not %d", ErrVerify, now, length)}
	}
	a, err := j.c.blocks.get(j.ctx)
	if err != nil {
		return &Error{"read", true, err}
	}
	defer j.c.blocks.put(a)
	return j.compare(a[:len(a)/2], a[len(a)/2:], length)
}

// compare compares the first length bytes, with two buffers of the same size.
func (j *job) compare(a, b []byte, length int64) error {
	for off := int64(0); off < length; {
		want := min(int64(len(a)), length-off)
		n, err := j.fill(a[:want], off)
		if err != nil {
			return err
		}
		m, err := j.readBack(b[:want], off)
		if err != nil {
			return err
		}
		if same := min(n, m); n != m || !bytes.Equal(a[:same], b[:same]) {
			return &Error{"verify", false, fmt.Errorf("%w at byte %d", ErrVerify, off+int64(common(a[:same], b[:same])))}
		}
		if int64(n) < want {
			return &Error{"read", true, ErrChanged}
		}
		off += want
	}
	return nil
}

// readBack reads the destination until b is full or it ends.
func (j *job) readBack(b []byte, off int64) (n int, err error) {
	for n < len(b) {
		m, err := plainRead(j.dst.FD, b[n:], off+int64(n))
		if err != nil {
			return n, &Error{"read", false, err}
		}
		if m == 0 {
			break
		}
		n += m
	}
	return n, nil
}

// common returns how many bytes a and b, which are of one length, have in common
// at their beginning.
func common(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}
