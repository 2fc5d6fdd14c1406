package cache

import (
	"context"
	"errors"
	"io"

	"github.com/sluiceio/sluice/internal/buffer"
)

// maxRun is how much is read at once, in bytes.
const maxRun = 1 << 20 // 1 MiB

// claimed is a block that the caller reads.
type claimed struct {
	s  *shard
	k  key
	i  int32 // -1: it gets no frame
	ld *load
}

// room is memory for the blocks that b wants from off on, as far as one request
// reads: b itself if it holds them whole, else some of the stage's, for the
// caller to release. There is none for a single block, which is read into its
// frame.
func (f *File) room(b []byte, off int64) (mem []byte, staged buffer.Buffer) {
	block := f.cache.options.Block
	behind := int(off & int64(block-1))
	n := min((behind+len(b)+block-1)&^(block-1), max(maxRun, block))
	switch {
	case n == block:
		return nil, staged
	case behind == 0 && n <= len(b):
		return b[:n], staged
	}
	if staged, ok := f.cache.stage.TryGet(n); ok {
		return staged.Bytes(), staged
	}
	if behind == 0 {
		return b[:len(b)&^(block-1)], staged // without the last one
	}
	return nil, staged
}

// fetchRun reads the block that is claimed, and those that follow and are not
// there either, to mem, with one request. From there they are copied to their
// frames, and to b where mem is not a part of it.
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
		return n, nil // what comes behind is not asked for
	case err == nil:
		err = io.ErrUnexpectedEOF // against the contract of Direct
	}
	return n, err
}

// claimRun claims blocks that follow those of run and are not there, until
// there are most of them.
func (f *File) claimRun(run []claimed, most int) []claimed {
	for frames := 0; len(run) < most; {
		// It takes no more than a part of the frames from others.
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
		if role != lead && role != pass {
			break
		}
		run = append(run, claimed{s, k, i, ld})
	}
	return run
}

// readRun reads claimed blocks, which lie side by side, and ends their loads.
func (f *File) readRun(ctx context.Context, run []claimed, mem []byte) (n int, err error) {
	block := f.cache.options.Block
	err = errPanicked
	defer func() {
		retry := abandoned(ctx, err)
		for j, c := range run {
			if c.i >= 0 {
				c.ld.retry = retry
				f.settle(c, mem[j*block:][:block], n-j*block, err)
			}
		}
	}()
	n, err = f.file.ReadAtContext(ctx, mem, run[0].k.block<<f.cache.shift)
	return n, err
}

// settle ends the load of a block of which n bytes, if that many, are in b.
func (f *File) settle(c claimed, b []byte, n int, err error) {
	n = min(max(n, 0), len(b))
	copy(c.s.memory(c.i), b[:n])
	c.s.finish(f, c.i, c.ld, n, failure(n, len(b), err))
	c.s.unpin(c.i)
}

var errPanicked = errors.New("cache: the read has panicked")

// failure is what is wrong with a block of which n bytes were read: nothing if
// it is all there, or the file ends in it.
func failure(n, block int, err error) error {
	switch {
	case n == block || errors.Is(err, io.EOF):
		return nil
	case err == nil:
		return io.ErrUnexpectedEOF // against the contract of Direct
	}
	return err
}

// abandoned tells whether a read failed for a reason that is nobody else's
// concern: the context of who read has ended, or he has panicked.
func abandoned(ctx context.Context, err error) bool {
	return errors.Is(err, errPanicked) || err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err())
}
