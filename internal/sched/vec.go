package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// Vec is the rest of one or several buffers that are transferred one after the other.
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

// advance drops the first n bytes.
func (v *Vec) advance(n int) {
	for n >= len(v.first) && len(v.rest) > 0 {
		n -= len(v.first)
		v.first, v.rest = v.rest[0], v.rest[1:]
	}
	v.first = v.first[n:]
}

// size returns how many bytes are left.
func (v *Vec) size() int {
	n := len(v.first)
	for _, b := range v.rest {
		n += len(b)
	}
	return n
}

// all transfers all of v, in as many transfers as it takes, to or from the file's bytes at
// off. Move makes one transfer, at the offset that it is given. If move transfers no bytes,
// the error is end.
func (v *Vec) all(ctx context.Context, off int64, end error, move func(at int64) int32) (n int, err error) {
	for len(v.first) > 0 {
		res := move(off + int64(n))
		if res == 0 {
			return n, end
		}
		if res < 0 {
			return n, errorOf(ctx, res)
		}
		n += int(res)
		v.advance(int(res))
	}
	return n, nil
}

// callVec makes the plain system call for a transfer. The thread waits in it.
func callVec(code driver.Code, fd int, first []byte, rest [][]byte, off int64) int32 {
	if code == driver.Write {
		return sys.PwriteVec(fd, first, rest, off)
	}
	return sys.PreadVec(fd, first, rest, off)
}

// callAgain repeats callVec until no signal interrupts it.
func (s *Scheduler) callAgain(code driver.Code, fd int, v *Vec, off int64) (res int32) {
	for res = eintr; res == eintr; {
		res = s.callVec(code, fd, v.first, v.rest, off)
	}
	return res
}

// ReadVec is ReadAt into several buffers. Reads from the page cache and plain calls fill as
// many buffers as one system call takes (preadv2, preadv). Reads that are queued are one
// request for each buffer.
func (s *Scheduler) ReadVec(ctx context.Context, f *File, v Vec, off int64) (n int, err error) {
	return v.all(ctx, off, io.EOF, func(at int64) int32 { return s.readVec(ctx, f, &v, at) })
}

// readVec makes one transfer. Once there are classes it is a transfer of the first buffer
// alone.
func (s *Scheduler) readVec(ctx context.Context, f *File, v *Vec, off int64) int32 {
	if len(v.rest) == 0 || s.classes.Active() {
		return s.read(ctx, f, v.first, off)
	}
	if res := s.readCachedVec(f, v, off); res > 0 {
		return res
	}
	if s.async(driver.Read, f) {
		return s.waitOrQueue(ctx, driver.Read, f, v.first, off)
	}
	return s.blockingCallVec(ctx, driver.Read, f, v, off)
}

// readCachedVec is readCached for several buffers.
func (s *Scheduler) readCachedVec(f *File, v *Vec, off int64) int32 {
	if !f.nowait.Load() || f.cacheMisses.skipLook() {
		return eagain
	}
	asked := s.hook.Now()
	res := sys.ReadCachedVec(f.fd, v.first, v.rest, off)
	if res <= 0 {
		f.notCached(res, v.size(), off)
		s.hook.Call(asked, record.Call{Batch: 1, Res: res, Syscall: record.SysPreadv2})
		return res
	}
	f.cacheMisses.hit()
	s.stats.Add(counters.Cached, driver.Read, res)
	if asked != 0 {
		s.recordCached(asked, f, v.size(), off, res)
	}
	return res
}

// WriteVec is WriteAt from several buffers. A plain call writes as many buffers as it takes
// (pwritev). Writes that are queued are one request for each buffer.
func (s *Scheduler) WriteVec(ctx context.Context, f *File, v Vec, off int64) (n int, err error) {
	return v.all(ctx, off, io.ErrUnexpectedEOF, func(at int64) int32 { return s.writeVec(ctx, f, &v, at) })
}

// writeVec makes one transfer. It is of the first buffer alone once there are classes, and
// where the driver performs writes without a thread.
func (s *Scheduler) writeVec(ctx context.Context, f *File, v *Vec, off int64) int32 {
	if len(v.rest) == 0 || s.classes.Active() || s.async(driver.Write, f) {
		return s.write(ctx, f, v.first, off)
	}
	mark := f.losses.Mark()
	return f.losses.Confirm(ctx, mark, s.blockingCallVec(ctx, driver.Write, f, v, off))
}

// blockingCallVec is blockingCall for several buffers.
func (s *Scheduler) blockingCallVec(ctx context.Context, code driver.Code, f *File, v *Vec, off int64) int32 {
	asked := s.hook.Now()
	p, err := s.acquirePermit(ctx, code, f)
	if err != nil {
		return ecanceled
	}
	region := s.hook.Region(ctx, regionNames[code])
	submitted := s.hook.Now()
	call := f.beginWrite(code)
	res := s.callAgain(code, f.fd, v, off)
	f.endWrite(code, call, res)
	s.limiter.Release(p)
	region.End()
	s.stats.Add(counters.Blocking, code, res)
	if submitted != 0 {
		s.recordPlain(asked, submitted, code, f, v.size(), off, res)
	}
	return res
}
