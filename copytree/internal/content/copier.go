package content

import (
	"cmp"
	"context"
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// SmallFile is the largest file that is copied with one read and one write. A file with holes is
// not, nor is any with a smaller Config.BlockSize.
const SmallFile = 64 << 10 // 64 KiB

const (
	// defaultBlock is the size of a read and of a write of a large file. Larger blocks fit the
	// second-level cache less, but the Go scheduler hands over a processor less often, which gains
	// more.
	defaultBlock = 1 << 20 // 1 MiB
	// smallBlock is the size of the buffer for a small file. It is larger than the file, so that
	// the read notices growth. Some files of /proc refuse sizes that are no multiple of 8. Other
	// files of /proc return everything in the first read and nothing in a second. cp(1) reads as
	// much at once.
	smallBlock = 128 << 10 // 128 KiB

	defaultMemory = 24 << 20 // 24 MiB
)

// Copier copies files.
type Copier struct {
	cfg       Config
	pairs     pairs
	small     sync.Pool // of *[]byte, smallSize bytes long
	smallSize int
	blocks    *buffers
	pipes     pipes
}

// New returns a Copier. The caller closes it.
func New(cfg Config) *Copier {
	block := cmp.Or(cfg.BlockSize, defaultBlock)
	memory := cmp.Or(cfg.Memory, defaultMemory)
	c := &Copier{
		cfg:       cfg,
		smallSize: min(smallBlock, block),
		blocks:    newBuffers(block, memory),
		pipes:     newPipes(),
	}
	// A pool returns a buffer to the processor that used it last and may still have it in its
	// cache.
	c.small.New = func() any { b := make([]byte, c.smallSize); return &b }
	return c
}

// Close closes the Copier's pipes. No Copy may run or follow.
func (c *Copier) Close() { c.pipes.close() }

// MayClone reports whether Copy would try to share data between the file systems src and dst. It
// does until they refuse.
func (c *Copier) MayClone(dst, src uint64) bool {
	if c.cfg.Reflink != option.ReflinkAuto || c.cfg.Sparse != option.SparseAuto {
		return false
	}
	p := c.pairs.find(dst, src)
	return p == nil || p.clone.mayWork()
}

// Clones reports whether src and dst have shared data before. The next file's data probably will
// be, too.
func (c *Copier) Clones(dst, src uint64) bool {
	p := c.pairs.find(dst, src)
	return p != nil && p.clone.hasWorked.Load() && c.MayClone(dst, src)
}

// OneAtATime reports whether one goroutine copies files as fast as several do. That holds if data
// is shared, is not read back, and the file system is local.
func (c *Copier) OneAtATime(dst, src uint64) bool {
	return c.Clones(dst, src) && !c.cfg.Verify && !c.pairs.find(dst, src).remote
}

// Copy copies the content of src into dst. src is open for reading, and dst is empty and open for
// writing; with Config.Verify both must allow both. The error is a [*fault.Fault]. The Result
// counts the written bytes, after an error too.
//
// When ctx ends, Copy returns after the current system call, which copies at most 16 MiB.
func (c *Copier) Copy(ctx context.Context, dst, src File) (Result, error) {
	j := job{c: c, ctx: ctx, dst: dst, src: src, pair: c.pairs.of(dst, src)}
	err := j.copy()
	j.trim()
	if err != nil {
		return j.result, err
	}
	if c.cfg.Verify {
		j.takesLong()
		return j.result, j.verify()
	}
	return j.result, nil
}
