package content

import (
	"cmp"
	"context"
)

const (
	// defaultBlock is what a large file is read and written in: with fewer and
	// larger writes the Go scheduler hands a processor over less often, which
	// costs more than the second-level cache gives.
	defaultBlock = 1 << 20 // 1 MiB
	// smallBlock is the buffer of a small file. There are many at once where a
	// disk is waited for.
	smallBlock = 16 << 10 // 16 KiB

	defaultMemory = 24 << 20 // 24 MiB
	smallMemory   = 4 << 20  // 4 MiB, besides
)

// Copier copies files. It is for any number of goroutines.
type Copier struct {
	cfg           Config
	pairs         pairs
	small, blocks *buffers
	pipes         pipes
}

// New returns a Copier, which the caller closes.
func New(cfg Config) *Copier {
	block := cmp.Or(cfg.BlockSize, defaultBlock)
	memory := cmp.Or(cfg.Memory, defaultMemory)
	return &Copier{
		cfg:    cfg,
		small:  newBuffers(min(smallBlock, block), smallMemory),
		blocks: newBuffers(block, memory),
		pipes:  newPipes(),
	}
}

// Close closes what the Copier has open. No Copy may be in progress, or follow.
func (c *Copier) Close() { c.pipes.close() }

// MayClone reports whether Copy would try to share the data of a file on the file
// system src with one on dst: until it is known that it cannot be done there.
func (c *Copier) MayClone(dst, src uint64) bool {
	if c.cfg.Reflink != ReflinkAuto || c.cfg.Sparse != SparseAuto {
		return false
	}
	p := c.pairs.find(dst, src)
	return p == nil || p.clone.worth()
}

// Clones reports whether data of src was shared with dst, as most likely that of the
// next file will be.
func (c *Copier) Clones(dst, src uint64) bool {
	p := c.pairs.find(dst, src)
	return p != nil && p.clone.given.Load() && c.MayClone(dst, src)
}

// Copy makes dst, which is empty and open for writing, have the content of src,
// which is open for reading. With Config.Verify dst is open for both. The
// error is an [*Error]; the Result counts what was written in any case.
//
// When ctx ends Copy returns after the system call that it is in, which copies no
// more than 16 MiB, or a block, or 256 KiB.
func (c *Copier) Copy(ctx context.Context, dst, src File) (Result, error) {
	j := job{c: c, ctx: ctx, dst: dst, src: src, pair: c.pairs.of(dst, src)}
	err := j.copy()
	j.release()
	if err != nil {
		return j.result, err
	}
	if c.cfg.Verify {
		return j.result, j.verify()
	}
	return j.result, nil
}

// copy takes the first way that there is.
func (j *job) copy() error {
	if (j.dst.Kind != Regular || j.src.Kind != Regular) && j.c.cfg.Reflink != ReflinkAlways {
		return j.copyStream()
	}
	if cloned, err := j.clone(); cloned || err != nil {
		return err
	}
	if j.holey() {
		if copied, err := j.copySegments(); copied || err != nil {
			return err
		}
	}
	if j.src.Size < int64(j.c.small.size) {
		return j.copySmall()
	}
	j.allocate()
	return j.copyAll(0)
}

// holey tells whether the source has holes that the destination gets, too.
func (j *job) holey() bool {
	return j.src.Blocks < (j.src.Size+511)/512 && j.c.cfg.Sparse != SparseNever
}
