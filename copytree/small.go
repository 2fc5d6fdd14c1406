package copytree

import (
	"bytes"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
)

// small reports whether copySmall is the way to copy it: one block, without
// holes, and nothing asked for that package content is needed for.
func (w *worker) small(it *item) bool {
	if it.stat.Size > 0 && w.copier.MayClone(it.in.copyID.Dev, it.stat.Dev) {
		return false // which takes less room
	}
	return it.stat.Size <= smallFile && it.stat.Blocks*512 >= it.stat.Size && it.kind == at.Regular && contentKind(it.over) == content.Regular && w.plain
}

// copySmall copies a small file with one read and one write. It reports whether
// it has: if the file is not as long as it was, or has a block of zeros, which
// may be a hole in disguise (fallocate(2)), it has done nothing.
func (w *worker) copySmall(it *item) (bool, error) {
	n, c := w.kernel.ReadCached(it.fd, w.buf)
	w.noteCache(c)
	if c != at.CacheHit {
		var err error
		if n, err = w.kernel.Read(it.fd, w.buf, 0); err != nil {
			return false, &fault{"read", source, err}
		}
	}
	if int64(n) != it.stat.Size || blank(w.buf[:n]) {
		return false, nil
	}
	if n > 0 {
		if err := w.kernel.Write(it.out, w.buf[:n]); err != nil {
			return false, &fault{"write", destination, err}
		}
	}
	it.bytes = int64(n)
	return true, nil
}

// blank reports whether one of the 4 KiB blocks of b is all zeros.
func blank(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), len(zeros))
		if b[0] == 0 && bytes.Equal(b[:n], zeros[:n]) {
			return true
		}
		b = b[n:]
	}
	return false
}

var zeros [4096]byte
