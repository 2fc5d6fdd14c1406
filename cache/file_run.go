package cache

import (
	"context"
	"errors"
	"io"

	"github.com/sluiceio/sluice/internal/buffer"
)

// maxRun is the number of bytes that one request reads at most, or one block if
// that is larger.
const maxRun = 1 << 20 // 1 MiB

// claimed is a block that this goroutine has to read.
type claimed struct {
	s  *shard
	k  key
	i  int32 // the frame it goes into; -1 if it is not cached
	ld *load
}

// runMemory returns memory for the whole blocks that hold b's bytes from off on, up
// to maxRun. It is b itself if b is large enough, else it is staged, which the
// caller releases. mem is empty if there is only one block, as that is read
// directly into its frame.
func (f *File) runMemory(b []byte, off int64) (mem []byte, staged buffer.Buffer) {
	block := f.cache.options.Block
	behind := int(off & int64(block-1))
	n := min((behind+len(b)+block-1)&^(block-1), max(maxRun, block))
	switch {
	case n == block:
		return nil, staged
	case behind == 0 && n <= len(b):
		return b[:n], staged
	}
	if staged, ok := f.cache.staging.TryGet(n); ok {
		return staged.Bytes(), staged
	}
	if behind == 0 {
		return b[:len(b)&^(block-1)], staged // all but the last block, which b does not hold whole
	}
	return nil, staged
}

// fetchRun reads the claimed block, and those after it that are not cached
// either, with one request to mem. From there it copies them to their frames,
// and to b if mem is not a part of b.
func (f *File) fetchRun(ctx context.Context, first claimed, mem, b []byte, off int64) (n int, err error) {
	block := f.cache.options.Block
	run := f.claimRun(append(make([]claimed, 0, 8), first), len(mem)/block)
	mem = mem[:len(run)*block]
	n, err = f.readRun(ctx, run, mem)
	behind := int(off & int64(block-1))
	want := min(len(b), len(mem)-behind)
	n = copy(b[:want], mem[min(behind, n):n])
	switch {
	case n == want:
		return n, nil // an error after these bytes does not concern the caller
	case err == nil:
		err = io.ErrUnexpectedEOF // the file broke the contract of Direct
	}
	return n, err
}

// claimRun claims the blocks after those of run, as long as they are not cached
// and run has fewer than most blocks.
func (f *File) claimRun(run []claimed, most int) []claimed {
	for frames := 0; len(run) < most; {
		// One read takes at most an eighth of all frames away from others.
		if run[len(run)-1].i >= 0 {
			frames++
		}
		if frames > 0 && frames >= f.cache.arena.total/8 {
			break
		}
		k := keyOf(f.id, run[0].k.block+int64(len(run)))
		if k.block >= f.cache.lastBlock() {
			break
		}
		s := f.cache.shard(k)
		role, i, ld := s.claim(f, k, true)
		if role != lead && role != bypass {
			break
		}
		run = append(run, claimed{s, k, i, ld})
	}
	return run
}

// readRun reads adjacent claimed blocks with one request, and finishes their
// loads.
func (f *File) readRun(ctx context.Context, run []claimed, mem []byte) (n int, err error) {
	block := f.cache.options.Block
	err = errPanicked
	defer func() {
		retry := abandoned(ctx, err)
		for j, c := range run {
			if c.i >= 0 {
				c.ld.retry = retry
				f.finishBlock(c, mem[j*block:][:block], n-j*block, err)
			}
		}
	}()
	n, err = f.file.ReadAtContext(ctx, mem, run[0].k.block<<f.cache.shift)
	return n, err
}

// finishBlock finishes the load of block c. The first n bytes of b were read; n may
// be negative or more than len(b).
func (f *File) finishBlock(c claimed, b []byte, n int, err error) {
	n = min(max(n, 0), len(b))
	copy(c.s.memory(c.i), b[:n])
	c.s.finish(f, c.i, c.ld, n, blockError(n, len(b), err))
	c.s.unpin(c.i)
}

var errPanicked = errors.New("cache: the read has panicked")

// blockError returns the error of a block of which n bytes were read: nil if it is
// complete, or the file ends in it.
func blockError(n, block int, err error) error {
	switch {
	case n == block || errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return io.ErrUnexpectedEOF // the file broke the contract of Direct
	}
	return err
}

// abandoned reports whether the goroutines that wait for a read should try
// again, because it failed only for its reader: the reader's context has ended,
// or the read has panicked.
func abandoned(ctx context.Context, err error) bool {
	return errors.Is(err, errPanicked) || err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}
