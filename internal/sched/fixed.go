package sched

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
)

// transfers are those of ReadFixed and WriteFixed.
var transfers = sync.Pool{New: func() any { return new(Transfer) }}

// ReadFixed is ReadAt into memory that is registered; reg is driver.Op's.
func (s *Scheduler) ReadFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	if reg == 0 || !s.async(driver.Read, f) {
		return s.ReadAt(ctx, f, b, off)
	}
	if s.classed.Load() {
		return s.fixedInTurn(ctx, driver.Read, f, b, off, reg)
	}
	return s.readFixedNow(ctx, f, b, off, reg)
}

// readFixedNow is ReadFixed of what has its turn, or needs none.
func (s *Scheduler) readFixedNow(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	n := 0
	if p, ok := s.admitRead(ctx, f, len(b)); ok {
		n = max(0, int(s.plain(p, driver.Read, f, b, off))) // an error will come again
	}
	return s.fixed(ctx, driver.Read, f, b, n, off, reg)
}

// WriteFixed is WriteAt from memory that is registered.
func (s *Scheduler) WriteFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	if reg == 0 || !s.async(driver.Write, f) {
		return s.WriteAt(ctx, f, b, off)
	}
	if s.classed.Load() {
		return s.fixedInTurn(ctx, driver.Write, f, b, off, reg)
	}
	return s.writeFixedNow(ctx, f, b, off, reg)
}

// writeFixedNow is WriteFixed of what has its turn, or needs none.
func (s *Scheduler) writeFixedNow(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	n := 0
	if p, ok := s.admitWrite(ctx, f); ok {
		res := s.plain(p, driver.Write, f, b, off)
		if res < 0 {
			return 0, failure(ctx, res)
		}
		n = int(res)
	}
	return s.fixed(ctx, driver.Write, f, b, n, off, reg)
}

// fixed transfers what is left after the first n bytes.
func (s *Scheduler) fixed(ctx context.Context, code driver.Code, f *File, b []byte, n int, off int64, reg uint32) (int, error) {
	if n == len(b) {
		return n, nil
	}
	t := transfers.Get().(*Transfer)
	// Counted until the goroutine runs again, as in transfer. A Transfer by
	// itself is counted until it is done: of a batch of them the first whose
	// goroutine runs would find nothing waiting, and make a plain call next.
	s.waiting.Add(1)
	s.prepare(t, code, f, b[n:], off+int64(n), reg)
	t.begin()
	m, err := t.Wait(ctx)
	s.waiting.Add(-1)
	transfers.Put(t)
	return n + m, err
}
