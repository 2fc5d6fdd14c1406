package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// call makes the plain system call for an operation. The thread waits.
func call(code driver.Code, fd int, b []byte, off int64) int32 {
	switch code {
	case driver.Read:
		if off == current {
			return sys.Read(fd, b)
		}
		return sys.Pread(fd, b, off)
	case driver.Write:
		if off == current {
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

// blocking performs an operation on path 2 for which the driver would need a
// thread too: the caller's own serves, once the gate lets it through.
// It was asked for at asked, for the record.
func (s *Scheduler) blocking(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	p, err := s.enter(ctx, f)
	if err != nil {
		return ecanceled
	}
	return s.plainOn(asked, p, f.fd, code, f, b, off)
}

// enter takes a place at the gate for a call on f. The error is ctx's, which has
// ended before there was one.
func (s *Scheduler) enter(ctx context.Context, f *File) (pass, error) {
	if s.gate.take() {
		return nil, nil
	}
	return s.gate.await(ctx, s.deviceOf(f))
}

// takePlain takes a place at the gate for a call on f, if fewer than most are taken
// of those that f's device may have.
func (s *Scheduler) takePlain(f *File, most int32) (pass, bool) {
	if s.gate.takeBelow(most) {
		return nil, true
	}
	if common := s.gate.most(); common == s.gate.limit || common >= most {
		return nil, false
	}
	return s.gate.takeShare(s.deviceOf(f), most)
}

// plain performs an operation on path 2. The caller has a place at the gate,
// which it loses.
func (s *Scheduler) plain(p pass, code driver.Code, f *File, b []byte, off int64) int32 {
	return s.plainOn(0, p, f.fd, code, f, b, off)
}

// plainOn is plain with fd, a descriptor of f. For the record it was asked for
// at asked, or now if that is 0.
func (s *Scheduler) plainOn(asked int64, p pass, fd int, code driver.Code, f *File, b []byte, off int64) int32 {
	region := s.hook.Region(context.Background(), regionNames[code])
	submitted := s.hook.Now()
	res := s.call(code, fd, b, off)
	for res == eintr {
		res = s.call(code, fd, b, off)
	}
	s.gate.leave(p)
	region.End()
	s.stats.add(pathBlocking, code, res)
	if submitted != 0 {
		s.recordPlain(asked, submitted, code, f, len(b), off, res)
	}
	if code == driver.Write {
		f.wrote(int(res))
	}
	return res
}

// transfer performs an operation that may wait, on path 2 or 3.
func (s *Scheduler) transfer(ctx context.Context, code driver.Code, f *File, b []byte, off int64) int32 {
	asked := s.hook.Now()
	if !s.async(code, f) {
		return s.blocking(ctx, asked, code, f, b, off)
	}
	s.waiting.Add(1)
	res := s.queued(ctx, asked, code, f, b, off)
	s.waiting.Add(-1)
	if undone(f, res) {
		if ctx.Err() != nil {
			return ecanceled
		}
		return s.blocking(ctx, asked, code, f, b, off)
	}
	s.stats.add(pathQueued, code, res)
	return res
}

// largeRead is the size from which a read is submitted by itself, and a
// buffered one is worth a thread: its copy takes longer than what the queue
// saves, and the ring makes it in pieces, one for each part of the page cache
// that arrives.
const largeRead = 32 << 10 // 32 KiB

// admitRead takes a place at the gate for a read of n bytes that is to be a
// plain call: if next to nothing is in flight, or the read is large. While there
// is a leader others are at it, be it that none of them waits just now: a thread
// that waits by itself would hold up those that it has a processor in common with.
// What can be asked to end early is no plain call.
func (s *Scheduler) admitRead(ctx context.Context, f *File, n int) (pass, bool) {
	if ctx.Done() != nil {
		return nil, false
	}
	if n >= largeRead && f.flags&driver.Direct == 0 {
		return s.takePlain(f, int32(s.limits.LargeReads))
	}
	if s.waiting.Load() != 0 || s.rings.led() {
		return nil, false
	}
	return s.takePlain(f, int32(s.limits.InlineReads))
}

// undone tells whether res means that the driver has not performed an
// operation, and the plain call must.
func undone(f *File, res int32) bool {
	switch res {
	case eagain: // the driver would have had to wait in a thread
		return true
	case eintr, ecanceled, efault:
		// io_uring fails with these what was submitted by a thread that has
		// ended since, as one does when a goroutine that is locked to it
		// returns; that goroutine may have been anybody's. If the buffer is
		// really bad the plain call says so again.
		return true
	case eopnotsupp:
		if f.flags&driver.NoWait != 0 {
			f.threaded.Store(true)
			return true
		}
	}
	return false
}

// queued performs an operation on path 3, at the file's position if off is
// current: the kernel has no queue for that, so the position is read before
// and set after. The caller holds f.position then.
func (s *Scheduler) queued(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	if off != current {
		return s.queue(ctx, asked, code, f, b, off)
	}
	pos, ok := sys.Tell(f.fd)
	if !ok {
		return eagain // a pipe has no position
	}
	res := s.queue(ctx, asked, code, f, b, pos)
	if res > 0 {
		sys.SeekTo(f.fd, pos+int64(res))
	}
	return res
}

// Block calls do, which waits in system calls for f, which may be nil, once the gate lets it through.
func (s *Scheduler) Block(f *File, do func()) {
	p, _ := s.enter(context.Background(), f) // fails only with its context
	defer s.gate.leave(p)
	do()
}
