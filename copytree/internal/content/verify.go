package content

import (
	"bytes"
	"fmt"

	"github.com/sluiceio/sluice/copytree/internal/fault"
)

// verify reads both files, without holes that both have, and compares them. Before that it writes
// the copy to disk and drops it from the page cache, if the system can.
func (j *job) verify() error {
	if err := uncache(j.dst.FD); err != nil {
		return fault.Dest("fdatasync", err)
	}
	length := j.result.Bytes + j.result.Holes
	now, err := size(j.dst.FD)
	if err != nil {
		return fault.Dest("fstat", err)
	}
	if now != length && j.result.How == Cloned && j.changed() {
		length = now
	}
	if now != length && j.dst.Kind == Regular {
		return fault.Dest("verify", fmt.Errorf("%w: it is %d bytes long, not %d", fault.ErrVerify, now, length))
	}
	a, err := j.buffer()
	if err != nil {
		return err
	}
	defer j.c.blocks.put(a)
	return j.compare(a[:len(a)/2], a[len(a)/2:], length)
}

// changed reports whether the source's size is no longer the one that the caller found. FICLONE
// shares the file's data at the time of the call.
func (j *job) changed() bool {
	now, err := size(j.src.FD)
	return err == nil && now != j.src.Size
}

// compare compares the first length bytes through two buffers of the same size.
func (j *job) compare(a, b []byte, length int64) error {
	for off := int64(0); off < length; {
		off = j.afterHoles(off, length)
		want := min(int64(len(a)), length-off)
		n, err := j.fill(a[:want], off, j.read)
		if err != nil {
			return err
		}
		m, err := j.fill(b[:want], off, j.readBack)
		if err != nil {
			return err
		}
		if same := min(n, m); n != m || !bytes.Equal(a[:same], b[:same]) {
			return fault.Dest("verify", fmt.Errorf("%w at byte %d", fault.ErrVerify, off+int64(common(a[:same], b[:same]))))
		}
		if int64(n) < want {
			return fault.Source("read", fault.ErrChanged)
		}
		off += want
	}
	return nil
}

// afterHoles returns the next offset from off on where a file has data, or the last byte's: to read
// that byte shows whether a file has become shorter.
func (j *job) afterHoles(off, length int64) int64 {
	if !j.keepsHoles() || j.src.Kind != Regular || j.dst.Kind != Regular {
		return off
	}
	next := min(nextData(j.src.FD, off), nextData(j.dst.FD, off), length-1)
	return max(off, next)
}

// common returns the number of equal bytes at the beginning of a and b, which must have the same
// length.
func common(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return len(a)
}
