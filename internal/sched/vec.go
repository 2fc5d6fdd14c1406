package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// Vec is what is left of one or several buffers that are transferred one after
// the other.
type Vec struct {
	first []byte // not empty, unless nothing is left
	rest  [][]byte
}

// VecOf returns a Vec of first and rest.
func VecOf(first []byte, rest [][]byte) Vec {
	v := Vec{first, rest}
	v.advance(0)
	return v
}

// advance leaves out the first n bytes.
func (v *Vec) advance(n int) {
	for n >= len(v.first) && len(v.rest) > 0 {
		n -= len(v.first)
		v.first, v.rest = v.rest[0], v.rest[1:]
	}
	v.first = v.first[n:]
}

// size is how many bytes are left.
func (v *Vec) size() int {
	n := len(v.first)
	for _, b := range v.rest {
		n += len(b)
	}
	return n
}

// all transfers all of v to or from what begins at off, as often as it takes: move
// makes one transfer, at the offset that it is given. The error of one that moves
// nothing is end.
func (v *Vec) all(ctx context.Context, off int64, end error, move func(at int64) int32) (n int, err error) {
	for len(v.first) > 0 {
		res := move(off + int64(n))
		if res == 0 {
			return n, end
		}
		if res < 0 {
			return n, failure(ctx, res)
		}
		n += int(res)
		v.advance(int(res))
	}
	return n, nil
}

// callVec makes the plain system call for a transfer. The thread waits.
func callVec(code driver.Code, fd int, first []byte, rest [][]byte, off int64) int32 {
	if code == driver.Write {
		return sys.PwriteVec(fd, first, rest, off)
	}
	return sys.PreadVec(fd, first, rest, off)
}

// callAgain makes it until no signal interrupts it.
func (s *Scheduler) callAgain(code driver.Code, fd int, v *Vec, off int64) (res int32) {
	for res = eintr; res == eintr; {
		res = s.callVec(code, fd, v.first, v.rest, off)
	}
	return res
}

// ReadVec is ReadAt into several buffers. What the page cache has, and what is
// read by plain calls, is so in one call for as many buffers as that takes
// (preadv2, preadv); what is queued is one request for each.
func (s *Scheduler) ReadVec(ctx context.Context, f *File, v Vec, off int64) (n int, err error) {
	return v.all(ctx, off, io.EOF, func(at int64) int32 { return s.readVec(ctx, f, &v, at) })
}

// readVec makes one transfer: where operations take turns, of one buffer.
func (s *Scheduler) readVec(ctx context.Context, f *File, v *Vec, off int64) int32 {
	if len(v.rest) == 0 || s.classed.Load() {
		return s.read(ctx, f, v.first, off)
	}
	if res := s.readCachedVec(f, v, off); res > 0 {
		return res
	}
	if s.async(driver.Read, f) {
		return s.transfer(ctx, driver.Read, f, v.first, off)
	}
	return s.blockingVec(ctx, driver.Read, f, v, off)
}

// readCachedVec is readCached of several buffers.
func (s *Scheduler) readCachedVec(f *File, v *Vec, off int64) int32 {
	if !f.nowait.Load() || f.cold.skip() {
		return eagain
	}
	asked := s.hook.Now()
	res := sys.ReadCachedVec(f.fd, v.first, v.rest, off)
	if res <= 0 {
		f.notCached(res, v.size(), off)
		s.hook.Call(asked, record.Call{Batch: 1, Res: res, Syscall: record.SysPreadv2})
		return res
	}
	f.cold.hit()
	s.stats.add(pathCached, driver.Read, res)
	if asked != 0 {
		s.recordCached(asked, f, v.size(), off, res)
	}
	return res
}

// WriteVec is WriteAt of several buffers: in one call for as many as that takes
// (pwritev), or one request for each where they are queued.
func (s *Scheduler) WriteVec(ctx context.Context, f *File, v Vec, off int64) (n int, err error) {
	return v.all(ctx, off, io.ErrUnexpectedEOF, func(at int64) int32 { return s.writeVec(ctx, f, &v, at) })
}

// writeVec makes one transfer, likewise.
func (s *Scheduler) writeVec(ctx context.Context, f *File, v *Vec, off int64) int32 {
	if len(v.rest) == 0 || s.classed.Load() || s.async(driver.Write, f) {
		return s.write(ctx, f, v.first, off)
	}
	return s.blockingVec(ctx, driver.Write, f, v, off)
}

// blockingVec is blocking of several buffers.
func (s *Scheduler) blockingVec(ctx context.Context, code driver.Code, f *File, v *Vec, off int64) int32 {
	asked := s.hook.Now()
	p, err := s.enter(ctx, f)
	if err != nil {
		return ecanceled
	}
	region := s.hook.Region(ctx, regionNames[code])
	submitted := s.hook.Now()
	res := s.callAgain(code, f.fd, v, off)
	s.gate.leave(p)
	region.End()
	s.stats.add(pathBlocking, code, res)
	if submitted != 0 {
		s.recordPlain(asked, submitted, code, f, v.size(), off, res)
	}
	if code == driver.Write {
		f.wrote(int(res))
	}
	return res
}
