package cache

import (
	"context"
	"errors"
	"io"

	"github.com/sluiceio/sluice/internal/buffer"
)

// maxRun is the most bytes that one request reads, unless one block is larger.
const maxRun = 1 << 20 // 1 MiB

// claimed is a block that this goroutine must read.
type claimed struct {
	s  *shard
	k  key
	i  int32 // its frame; -1 if it is not cached
	ld *load
}

// runMemory returns memory for the whole blocks that hold b's bytes from off on, up to maxRun. If b
// is large enough, mem is b; else mem is in staged, which the caller releases. mem is empty for a
// single block, which is read directly into its frame.
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
		return b[:len(b)&^(block-1)], staged // b does not hold the last block whole
	}
	return nil, staged
}

// fetchRun reads the claimed block, and uncached blocks that follow it, with one request into mem.
// It copies them to their frames, and to b unless mem is a part of b.
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
		return n, nil // the error is behind the caller's bytes
	case err == nil:
		err = io.ErrUnexpectedEOF // the file broke the contract of Direct
	}
	return n, err
}

// claimRun appends to run the uncached blocks that follow it, up to most blocks, and claims them.
func (f *File) claimRun(run []claimed, most int) []claimed {
	for frames := 0; len(run) < most; {
		// One read takes at most an eighth of all frames.
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

// readRun reads the blocks of run, which are adjacent, with one request, and finishes their loads.
func (f *File) readRun(ctx context.Context, run []claimed, mem []byte) (n int, err error) {
	block := f.cache.options.Block
	err = errPanicked
	defer func() {
		retry := abandoned(ctx, err)
		for j, c := range run {
			if c.i >= 0 {
				// The blocks after the one that failed may be readable.
				c.ld.retry = retry || n < j*block && err != nil && !errors.Is(err, io.EOF)
				f.finishBlock(c, mem[j*block:][:block], n-j*block, err)
			}
		}
	}()
	n, err = f.file.ReadAtContext(ctx, mem, run[0].k.block<<f.cache.shift)
	return n, err
}

// finishBlock finishes the load of block c with the first n bytes of b. n may be negative or more
// than len(b).
func (f *File) finishBlock(c claimed, b []byte, n int, err error) {
	n = min(max(n, 0), len(b))
	copy(c.s.memory(c.i), b[:n])
	c.s.finish(f, c.i, c.ld, n, blockError(n, len(b), err))
	c.s.unpin(c.i)
}

var errPanicked = errors.New("cache: the read has panicked")

// blockError returns the error for a block whose read returned n bytes and err: nil if the block is
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

// abandoned reports whether the goroutines that wait for a read should try again: the read has
// failed because its reader's context ended, or because it panicked.
func abandoned(ctx context.Context, err error) bool {
	return errors.Is(err, errPanicked) || err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}
