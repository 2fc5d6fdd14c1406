package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// perform makes the plain system call for an operation. The thread waits.
func perform(code driver.Code, f *File, b []byte, off int64) int32 {
	for {
		res := call(code, f.fd, b, off)
		if res != eintr {
			return res
		}
	}
}

func call(code driver.Code, fd int, b []byte, off int64) int32 {
	switch {
	case code == driver.Read && off == current:
		return sys.Read(fd, b)
	case code == driver.Read:
		return sys.Pread(fd, b, off)
	case code == driver.Write && off == current:
		return sys.Write(fd, b)
	case code == driver.Write:
		return sys.Pwrite(fd, b, off)
	case code == driver.Fsync:
		return sys.Fsync(fd)
	case code == driver.Fdatasync:
		return sys.Fdatasync(fd)
	}
	return einval
}

// blocking performs an operation on path 2 for which the driver would need a
// thread too: the caller's own serves, once the gate lets it through.
func (s *Scheduler) blocking(ctx context.Context, code driver.Code, f *File, b []byte, off int64) int32 {
	if s.gate.enter(ctx) != nil {
		return ecanceled
	}
	res := perform(code, f, b, off)
	s.gate.leave()
	s.stats.add(pathBlocking, code, res)
	return res
}

// transfer performs an operation that may wait, on path 2 or 3.
func (s *Scheduler) transfer(ctx context.Context, code driver.Code, f *File, b []byte, off int64) int32 {
	if !s.async(code, f) {
		return s.blocking(ctx, code, f, b, off)
	}
	var res int32
	if s.waiting.Add(1) <= s.limits.inline(code) && ctx.Done() == nil && s.gate.take() {
		res = perform(code, f, b, off)
		s.gate.leave()
		s.waiting.Add(-1)
		s.stats.add(pathBlocking, code, res)
		return res
	}
	res = s.queued(ctx, code, f, b, off)
	s.waiting.Add(-1)
	switch {
	case res == eopnotsupp && f.flags&driver.NoWait != 0:
		f.threaded.Store(true)
		fallthrough
	case res == eagain:
		// The driver would have had to wait in a thread.
		return s.blocking(ctx, code, f, b, off)
	}
	s.stats.add(pathQueued, code, res)
	return res
}

// queued performs an operation on path 3, at the file's position if off is
// current: the kernel has no queue for that, so the position is read before
// and set after. The caller holds f.position then.
func (s *Scheduler) queued(ctx context.Context, code driver.Code, f *File, b []byte, off int64) int32 {
	if off != current {
		return s.queue(ctx, code, f, b, off)
	}
	pos, ok := sys.Tell(f.fd)
	if !ok || f.appends && code == driver.Write {
		return eagain // a pipe has no position, an append no offset
	}
	res := s.queue(ctx, code, f, b, pos)
	if res > 0 {
		sys.SeekTo(f.fd, pos+int64(res))
	}
	return res
}

// Block calls do, which waits in system calls, once the gate lets it through.
func (s *Scheduler) Block(do func()) {
	_ = s.gate.enter(context.Background()) // fails only with its context
	defer s.gate.leave()
	do()
}
