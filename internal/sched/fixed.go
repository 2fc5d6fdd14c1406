package sched

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/limiter"
)

// transfers holds Transfers for ReadFixed and WriteFixed to use again.
var transfers = sync.Pool{New: func() any { return new(Transfer) }}

// ReadFixed is ReadAt into registered memory. Reg is driver.Op's Reg.
func (s *Scheduler) ReadFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	if reg == 0 || !s.Async(driver.Read, f) {
		return s.ReadAt(ctx, f, b, off)
	}
	return s.fixed(ctx, driver.Read, f, b, off, reg)
}

// WriteFixed is WriteAt from registered memory.
func (s *Scheduler) WriteFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	if reg == 0 || !s.Async(driver.Write, f) || f.Losses != nil {
		return s.WriteAt(ctx, f, b, off)
	}
	return s.fixed(ctx, driver.Write, f, b, off, reg)
}

// fixed is ReadFixed or WriteFixed, as code says, through the driver.
func (s *Scheduler) fixed(ctx context.Context, code driver.Code, f *File, b []byte, off int64, reg uint32) (int, error) {
	if s.Classes.Active() {
		return s.fixedByClass(ctx, code, f, b, off, reg)
	}
	return s.fixedNow(ctx, code, f, b, off, reg)
}

// fixedNow is fixed for an operation whose ticket has been granted, or that needs none. If
// next to nothing is in flight it is a plain call. What that leaves is queued.
func (s *Scheduler) fixedNow(ctx context.Context, code driver.Code, f *File, b []byte, off int64, reg uint32) (n int, err error) {
	if p, ok := s.permitPlain(ctx, code, f, len(b)); ok {
		res := s.PlainCall(p, code, f, b, off)
		if res < 0 {
			return 0, errorOf(ctx, res)
		}
		n = int(res)
	}
	return s.queueFixed(ctx, code, f, b, n, off, reg)
}

// queueFixed transfers what is left after the first n bytes, and waits for it.
func (s *Scheduler) queueFixed(ctx context.Context, code driver.Code, f *File, b []byte, n int, off int64, reg uint32) (int, error) {
	if n == len(b) {
		return n, nil
	}
	t := transfers.Get().(*Transfer)
	// The operation counts until this goroutine runs again, as in waitOrQueue. The Transfer's
	// own count ends when it completes. If that were all, the first goroutine of a batch to
	// run would find nothing queued, and would make its next call a plain one.
	s.QueuedOps.Add(1)
	s.prepare(t, code, f, b[n:], off+int64(n), reg)
	t.begin()
	m, err := t.Wait(ctx)
	s.QueuedOps.Add(-1)
	transfers.Put(t)
	return n + m, err
}

// permitPlain takes a permit for a plain call, a read or a write of n bytes.
func (s *Scheduler) permitPlain(ctx context.Context, code driver.Code, f *File, n int) (limiter.Permit, bool) {
	if code == driver.Write {
		return s.permitPlainWrite(ctx, f)
	}
	return s.permitPlainRead(ctx, f, n)
}
