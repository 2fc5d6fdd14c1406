package sched

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
)

// transfers holds Transfers for ReadFixed and WriteFixed to use again.
var transfers = sync.Pool{New: func() any { return new(Transfer) }}

// ReadFixed is ReadAt into registered memory. Reg is driver.Op's Reg.
func (s *Scheduler) ReadFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	if reg == 0 || !s.Async(driver.Read, f) {
		return s.ReadAt(ctx, f, b, off)
	}
	if s.Classes.Active() {
		return s.fixedByClass(ctx, driver.Read, f, b, off, reg)
	}
	return s.readFixedNow(ctx, f, b, off, reg)
}

// readFixedNow is ReadFixed of an operation whose ticket has been granted, or that needs none.
func (s *Scheduler) readFixedNow(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	n := 0
	if p, ok := s.permitPlainRead(ctx, f, len(b)); ok {
		n = max(0, int(s.PlainCall(p, driver.Read, f, b, off))) // fixed meets an error again
	}
	return s.fixed(ctx, driver.Read, f, b, n, off, reg)
}

// WriteFixed is WriteAt from registered memory.
func (s *Scheduler) WriteFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	if reg == 0 || !s.Async(driver.Write, f) || f.Losses != nil {
		return s.WriteAt(ctx, f, b, off)
	}
	if s.Classes.Active() {
		return s.fixedByClass(ctx, driver.Write, f, b, off, reg)
	}
	return s.writeFixedNow(ctx, f, b, off, reg)
}

// writeFixedNow is WriteFixed of an operation whose ticket has been granted, or that needs
// none.
func (s *Scheduler) writeFixedNow(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	n := 0
	if p, ok := s.permitPlainWrite(ctx, f); ok {
		res := s.PlainCall(p, driver.Write, f, b, off)
		if res < 0 {
			return 0, errorOf(ctx, res)
		}
		n = int(res)
	}
	return s.fixed(ctx, driver.Write, f, b, n, off, reg)
}

// fixed transfers what is left after the first n bytes, and waits for it.
func (s *Scheduler) fixed(ctx context.Context, code driver.Code, f *File, b []byte, n int, off int64, reg uint32) (int, error) {
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
