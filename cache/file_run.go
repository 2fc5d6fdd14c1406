package cache

import (
	"context"
	"errors"
	"io"
)

// maxRun is how much is read at once, in bytes.
const maxRun = 1 << 20 // 1 MiB

// run is blocks side by side that one request reads, straight into the memory
// of who wants them all; from there they are copied into their frames.
type run []claimed

// claimed is a block that the caller reads.
type claimed struct {
	s  *shard
	k  key
	i  int32 // -1: it gets no frame
	ld *load
}

// fetchRun reads blocks to b, of which the first has been claimed, and all
// that follow and are not there either.
func (f *File) fetchRun(ctx context.Context, r run, b []byte, off int64) (n int, err error) {
	block := f.cache.options.Block
	most := max(1, min(len(b), maxRun)/block)
	for frames := 0; len(r) < most; {
		// It takes no more than a part of the frames from others.
		if r[len(r)-1].i >= 0 {
			frames++
		}
		if frames > 0 && frames >= f.cache.arena.total/8 {
			break
		}
		k := keyOf(f.id, r[0].k.block+int64(len(r)))
		if k.block >= f.cache.lastBlock() {
			break
		}
		s := f.cache.shard(k)
		role, i, ld := s.claim(f, k, true)
		if role != lead && role != pass {
			break
		}
		r = append(r, claimed{s, k, i, ld})
	}
	b = b[:len(r)*block]
	err = errPanicked
	defer func() {
		retry := abandoned(ctx, err)
		for j, c := range r {
			if c.i >= 0 {
				c.ld.retry = retry
				f.settle(c, b[j*block:][:block], n-j*block, err)
			}
		}
	}()
	n, err = f.file.ReadAtContext(ctx, b, off)
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
