package sched

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
)

// transfers holds Transfers for ReadFixed to use again.
var transfers = sync.Pool{New: func() any { return new(Transfer) }}

// ReadFixed is ReadAt into registered memory. Reg is driver.Op's Reg.
func (s *Scheduler) ReadFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	switch {
	case reg == 0 || !s.Async(driver.Read, f):
		return s.ReadAt(ctx, f, b, off)
	case s.Classes.Active():
		return s.fixedWithTicket(ctx, f, b, off, reg)
	}
	return s.fixedNow(ctx, f, b, off, reg)
}

// fixedNow is ReadFixed for an operation whose ticket has been granted, or that needs none. If
// next to nothing is in flight it is a plain call. What that leaves is queued.
func (s *Scheduler) fixedNow(ctx context.Context, f *File, b []byte, off int64, reg uint32) (n int, err error) {
	if p, ok := s.permitPlainRead(ctx, f, len(b)); ok {
		res := s.PlainCall(0, p, driver.Read, f, b, off)
		if res < 0 {
			return 0, errorOf(ctx, res)
		}
		n = int(res)
	}
	return s.queueFixed(ctx, f, b, n, off, reg)
}

// queueFixed reads what is left after the first n bytes, and waits for it.
func (s *Scheduler) queueFixed(ctx context.Context, f *File, b []byte, n int, off int64, reg uint32) (int, error) {
	if n == len(b) {
		return n, nil
	}
	t := transfers.Get().(*Transfer)
	// The operation counts until this goroutine runs again, as in waitOrQueue. A Transfer that
	// counts itself counts until it completes: the first goroutine of a batch to run would find
	// nothing queued, and would make its next call a plain one.
	s.QueuedOps.Add(1)
	s.prepare(t, driver.Read, f, b[n:], off+int64(n), reg)
	t.waiterCounts = true
	t.begin()
	m, err := t.Wait(ctx)
	s.QueuedOps.Add(-1)
	transfers.Put(t)
	return n + m, err
}
