package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/sys"
)

// call makes the plain system call for an operation. The calling thread waits in it.
func call(code driver.Code, fd int, b []byte, off int64) int32 {
	switch code {
	case driver.Read:
		if off == atPosition {
			return sys.Read(fd, b)
		}
		return sys.Pread(fd, b, off)
	case driver.Write:
		if off == atPosition {
			return sys.Write(fd, b)
		}
		return sys.Pwrite(fd, b, off)
	case driver.Fsync:
		return sys.Fsync(fd)
	case driver.Fdatasync:
		return sys.Fdatasync(fd)
	case writeback:
		return sys.StartWriteback(fd)
	}
	return einval
}

// blockingCall performs an operation on path 2, because the driver would need a thread for it
// too. The caller's own thread serves, once it has a permit. asked is when the caller
// asked for the operation, for the record, or 0.
func (s *Scheduler) blockingCall(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	p, err := s.acquirePermit(ctx, code, f)
	if err != nil {
		return ecanceled
	}
	return s.plainCallOn(asked, p, f.fd, code, f, b, off)
}

// acquirePermit takes a permit for a call of a kind on f. If ctx ends first, it returns ctx's
// error. A call whose context may end also counts in the window of f's device.
func (s *Scheduler) acquirePermit(ctx context.Context, code driver.Code, f *File) (limiter.Permit, error) {
	if ctx.Done() != nil && s.limits.Blocking > limiter.LeastWindow {
		// NoDevice may stand for several devices, of which one may be stalled.
		if device := s.deviceOf(f); device != limiter.NoDevice {
			return s.limiter.AcquireInWindow(ctx, &s.windows, device, uint8(code))
		}
	}
	if s.limiter.TryAcquire() { // first: deviceOf may cost a system call
		return limiter.Permit{}, nil
	}
	return s.limiter.Acquire(ctx, s.deviceOf(f))
}

// tryPermit takes a permit for a call on f, without waiting, if fewer than most are taken of
// those that f's device may have.
func (s *Scheduler) tryPermit(f *File, most int32) (limiter.Permit, bool) {
	if s.limiter.TryAcquireBelow(most) {
		return limiter.Permit{}, true
	}
	if !s.limiter.HasQuotas() || s.limiter.SharedLimit() >= most {
		return limiter.Permit{}, false
	}
	return s.limiter.TryAcquireOfQuota(s.deviceOf(f), most)
}

// plainCall performs an operation on path 2. The caller has acquired p; plainCall releases it.
func (s *Scheduler) plainCall(p limiter.Permit, code driver.Code, f *File, b []byte, off int64) int32 {
	return s.plainCallOn(0, p, f.fd, code, f, b, off)
}

// plainCallOn is plainCall with fd, a descriptor of f. For the record, the caller asked for the
// operation at asked, or now if asked is 0.
func (s *Scheduler) plainCallOn(asked int64, p limiter.Permit, fd int, code driver.Code, f *File, b []byte, off int64) int32 {
	region := s.hook.Region(context.Background(), regionNames[code])
	submitted := s.hook.Now()
	call := f.beginWrite(code)
	res := s.call(code, fd, b, off)
	for res == eintr {
		res = s.call(code, fd, b, off)
	}
	f.endWrite(code, call, res)
	s.limiter.Release(p)
	region.End()
	s.stats.Add(counters.Blocking, code, res)
	if submitted != 0 {
		s.recordPlain(asked, submitted, code, f, len(b), off, res)
	}
	return res
}

// waitOrQueue performs an operation that may have to wait, on path 2 or 3.
func (s *Scheduler) waitOrQueue(ctx context.Context, code driver.Code, f *File, b []byte, off int64) int32 {
	asked := s.hook.Now()
	switch {
	case !s.async(code, f):
		return s.blockingCall(ctx, asked, code, f, b, off)
	case off == atPosition:
		return s.reserved(ctx, code, f, b)
	}
	s.queuedOps.Add(1)
	call := f.beginWrite(code)
	res := s.queue(ctx, asked, code, f, b, off)
	f.endWrite(code, call, res)
	s.queuedOps.Add(-1)
	if mustRetryPlain(f, res) {
		if ctx.Err() != nil {
			return ecanceled
		}
		return s.blockingCall(ctx, asked, code, f, b, off)
	}
	s.stats.Add(counters.Queued, code, res)
	return res
}

// largeRead is the size from which on a buffered read is worth a thread. The copy of such a buffered read takes longer than what the queue saves.
// The ring also makes it in pieces, one for each part of the page cache that arrives.
const largeRead = ioengine.LargeRead

// permitPlainRead takes a permit for a read of n bytes that is made as a plain call: if next to
// nothing is in flight, or if the read is large and buffered. While a ring has a leader, no
// other read is a plain call. Other goroutines are then doing I/O, even if none of them waits
// at the moment, and a thread that waits would hold up those that it shares a processor with.
// A read whose context may end is never such a plain call.
func (s *Scheduler) permitPlainRead(ctx context.Context, f *File, n int) (limiter.Permit, bool) {
	if ctx.Done() != nil {
		return limiter.Permit{}, false
	}
	if n >= largeRead && f.flags&driver.Direct == 0 {
		return s.tryPermit(f, int32(s.limits.LargeReads))
	}
	if s.queuedOps.Load() != 0 || s.rings.HasReaper() {
		return limiter.Permit{}, false
	}
	return s.tryPermit(f, int32(s.limits.InlineReads))
}

// mustRetryPlain reports whether res means that the driver has not performed an operation and
// the plain call must be made.
func mustRetryPlain(f *File, res int32) bool {
	switch res {
	case eagain: // the driver would have needed a thread that waits
		return true
	case eintr, ecanceled, efault:
		// io_uring fails requests with these errors if the thread that submitted them
		// has ended since. A thread ends when the goroutine that is locked to it
		// returns, and any goroutine of the program may be a submitter. If the buffer
		// really is bad, the plain call reports EFAULT again.
		return true
	case eopnotsupp:
		if f.flags&driver.NoWait != 0 {
			f.needsThread.Store(true)
			return true
		}
	}
	return false
}

// Block calls do once it has a permit. do waits in system calls for f, which may be nil.
func (s *Scheduler) Block(f *File, do func()) {
	p, _ := s.acquirePermit(context.Background(), driver.Nop, f) // this context does not end
	defer s.limiter.Release(p)
	do()
}
