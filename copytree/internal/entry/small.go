package entry

import (
	"bytes"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
)

// isSmall reports whether copySmall is the way to copy a file: it fits into the
// buffer, has no holes, and no option needs package content. Where data can be
// shared, package content does it, as a clone takes less room.
func (c *Copier) isSmall(it *item.Item) bool {
	s := &it.Stat
	if s.Size > 0 && c.Content.MayClone(it.Dir.CopyID.Dev, s.Dev) {
		return false
	}
	return s.Size <= SmallFile && s.Blocks*512 >= s.Size && it.Type == at.Regular && contentKind(it.Existing) == content.Regular && c.plain
}

// copySmall copies a small file with one read and one write. It reports whether it
// has. It writes nothing if the file's size has changed, or if a block is all zeros:
// that may be a hole which the block count does not show (fallocate(2)).
func (c *Copier) copySmall(it *item.Item) (bool, error) {
	n, found := c.Kernel.ReadCached(it.SrcFD, c.buf)
	c.NoteCache(found)
	if found != at.CacheHit {
		var err error
		if n, err = c.Kernel.Read(it.SrcFD, c.buf, 0); err != nil {
			return false, fault.Source("read", err)
		}
	}
	if int64(n) != it.Stat.Size || hasZeroBlock(c.buf[:n]) {
		return false, nil
	}
	if n > 0 {
		if err := c.Kernel.Write(it.DstFD, c.buf[:n]); err != nil {
			return false, fault.Dest("write", err)
		}
	}
	it.Bytes = int64(n)
	return true, nil
}

// hasZeroBlock reports whether one of the 4 KiB blocks of b is all zeros.
func hasZeroBlock(b []byte) bool {
	for len(b) > 0 {
		n := min(len(b), len(zeros))
		if b[0] == 0 && bytes.Equal(b[:n], zeros[:n]) {
			return true
		}
		b = b[n:]
	}
	return false
}

var zeros [4 << 10]byte // 4 KiB
