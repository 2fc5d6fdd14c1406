package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
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
		return sys.StartWriteback(fd, 0, 0)
	}
	return einval
}

// blockingCall performs an operation on path 2, because the driver would need a thread for it
// too. The caller's own thread serves, once the limiter has a slot. asked is when the caller
// asked for the operation, for the record, or 0.
func (s *Scheduler) blockingCall(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	p, err := s.acquirePermit(ctx, code, f)
	if err != nil {
		return ecanceled
	}
	return s.plainCallOn(asked, p, f.fd, code, f, b, off)
}

// permit allows one plain call.
type permit struct {
	slot   slot    // in Scheduler.limiter
	window *window // in which the call counts; nil if in none
}

// acquirePermit takes a permit for a call of a kind on f. If ctx ends first, it returns ctx's
// error.
func (s *Scheduler) acquirePermit(ctx context.Context, code driver.Code, f *File) (permit, error) {
	w, err := s.enterWindow(ctx, code, f)
	if err != nil {
		return permit{}, err
	}
	if s.limiter.tryAcquire() {
		return permit{window: w}, nil
	}
	p, err := s.limiter.acquireSlow(ctx, s.deviceOf(f))
	if err != nil && w != nil {
		w.leave(false)
	}
	return permit{p, w}, err
}

// enterWindow takes room in the window of f's device. It returns a nil window, which is no
// limit, if ctx cannot end, or if the limiter itself lets no more calls through than the
// smallest window does.
func (s *Scheduler) enterWindow(ctx context.Context, code driver.Code, f *File) (*window, error) {
	if ctx.Done() == nil || s.limiter.limit <= windowLeast {
		return nil, nil
	}
	device := s.deviceOf(f)
	if device == noDevice { // it may stand for several devices, of which one may be stalled
		return nil, nil
	}
	return s.windows.enter(ctx, windowKey{device, code})
}

// releasePermit gives a permit back after its call.
func (s *Scheduler) releasePermit(p permit) {
	s.limiter.release(p.slot)
	if p.window != nil {
		p.window.leave(true)
	}
}

// tryPermit takes a slot of the limiter for a call on f, without waiting, if fewer than most
// are taken of those that f's device may have.
func (s *Scheduler) tryPermit(f *File, most int32) (slot, bool) {
	if s.limiter.tryAcquireBelow(most) {
		return nil, true
	}
	if common := s.limiter.sharedLimit(); common == s.limiter.places() || common >= most {
		return nil, false
	}
	return s.limiter.acquireQuota(s.deviceOf(f), most)
}

// plainCall performs an operation on path 2. The caller has taken a slot; plainCall releases
// it.
func (s *Scheduler) plainCall(p slot, code driver.Code, f *File, b []byte, off int64) int32 {
	return s.plainCallOn(0, permit{slot: p}, f.fd, code, f, b, off)
}

// plainCallOn is plainCall with fd, a descriptor of f. For the record, the caller asked for the
// operation at asked, or now if asked is 0.
func (s *Scheduler) plainCallOn(asked int64, p permit, fd int, code driver.Code, f *File, b []byte, off int64) int32 {
	region := s.hook.Region(context.Background(), regionNames[code])
	submitted := s.hook.Now()
	call := f.beginWrite(code)
	res := s.call(code, fd, b, off)
	for res == eintr {
		res = s.call(code, fd, b, off)
	}
	f.endWrite(code, call, res)
	s.releasePermit(p)
	region.End()
	s.stats.add(pathBlocking, code, res)
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
	s.stats.add(pathQueued, code, res)
	return res
}

// largeRead is the size from which on a read is submitted by itself, and a buffered read is
// worth a thread. The copy of such a buffered read takes longer than what the queue saves.
// The ring also makes it in pieces, one for each part of the page cache that arrives.
const largeRead = 32 << 10 // 32 KiB

// permitPlainRead takes a slot for a read of n bytes that is made as a plain call: if next to
// nothing is in flight, or if the read is large and buffered. While a ring has a leader, no
// other read is a plain call. Other goroutines are then doing I/O, even if none of them waits
// at the moment, and a thread that waits would hold up those that it shares a processor with.
// A read whose context may end is never such a plain call.
func (s *Scheduler) permitPlainRead(ctx context.Context, f *File, n int) (slot, bool) {
	if ctx.Done() != nil {
		return nil, false
	}
	if n >= largeRead && f.flags&driver.Direct == 0 {
		return s.tryPermit(f, int32(s.limits.LargeReads))
	}
	if s.queuedOps.Load() != 0 || s.rings.hasReaper() {
		return nil, false
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

// Block calls do once the limiter has a slot. do waits in system calls for f, which may be nil.
func (s *Scheduler) Block(f *File, do func()) {
	p, _ := s.acquirePermit(context.Background(), driver.Nop, f) // this context does not end
	defer s.releasePermit(p)
	do()
}
