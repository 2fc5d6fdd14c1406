package content

import (
	"cmp"
	"context"
	"sync"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// SmallFile is the largest file that is copied with one read and one write. Files with
// holes, and with a smaller Config.BlockSize, are not.
const SmallFile = 64 << 10 // 64 KiB

const (
	// defaultBlock is how much of a large file is read and written at once. With
	// fewer and larger calls the Go scheduler hands a processor over less often,
	// which costs more than the second-level cache gains.
	defaultBlock = 1 << 20 // 1 MiB
	// smallBlock is the size of the buffer for a small file. It is larger than the file,
	// so that the read also shows whether the file has grown. Some files of /proc refuse
	// a size that is no multiple of 8, and others give all they have to the first read
	// and nothing to a second one: cp(1) reads as much at once.
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

// New returns a Copier, which the caller closes.
func New(cfg Config) *Copier {
	block := cmp.Or(cfg.BlockSize, defaultBlock)
	memory := cmp.Or(cfg.Memory, defaultMemory)
	c := &Copier{
		cfg:       cfg,
		smallSize: min(smallBlock, block),
		blocks:    newBuffers(block, memory),
		pipes:     newPipes(),
	}
	// A pool hands a buffer back to the processor that used it last, whose cache
	// still holds it.
	c.small.New = func() any { b := make([]byte, c.smallSize); return &b }
	return c
}

// Close closes the Copier's pipes. No Copy may be in progress, or follow.
func (c *Copier) Close() { c.pipes.close() }

// MayClone reports whether Copy would try to share data between the file systems
// src and dst: it does until they have refused it.
func (c *Copier) MayClone(dst, src uint64) bool {
	if c.cfg.Reflink != option.ReflinkAuto || c.cfg.Sparse != option.SparseAuto {
		return false
	}
	p := c.pairs.find(dst, src)
	return p == nil || p.clone.mayWork()
}

// Clones reports whether data was shared between src and dst before. The data of
// the next file most likely is, too.
func (c *Copier) Clones(dst, src uint64) bool {
	p := c.pairs.find(dst, src)
	return p != nil && p.clone.hasWorked.Load() && c.MayClone(dst, src)
}

// OneAtATime reports whether files are copied as quickly by one goroutine as by several: their data
// is shared, on a file system that is not a server's, and is not read back.
func (c *Copier) OneAtATime(dst, src uint64) bool {
	return c.Clones(dst, src) && !c.cfg.Verify && !c.pairs.find(dst, src).remote
}

// Copy copies the content of src, which is open for reading, into dst, which is
// empty and open for writing; with Config.Verify for both. The error is a
// [*fault.Fault]. The Result counts what was written, also after an error.
//
// When ctx ends, Copy returns after the system call that it is in, which copies no
// more than 16 MiB.
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
