package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
)

// ReadFixed is ReadAt into registered memory. Reg is driver.Op's Reg.
func (s *Scheduler) ReadFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) (n int, err error) {
	if reg == 0 || !s.Async(driver.Read, f) {
		return s.ReadAt(ctx, f, b, off)
	}
	for n < len(b) {
		res := s.readFixed(ctx, f, b[n:], off+int64(n), reg)
		switch {
		case res < 0:
			return n, errorOf(ctx, res)
		case res == 0:
			return n, io.EOF
		}
		n += int(res)
	}
	return n, nil
}

// readFixed makes one transfer of ReadFixed. The result may be short.
func (s *Scheduler) readFixed(ctx context.Context, f *File, b []byte, off int64, reg uint32) int32 {
	if s.Classes.Active() {
		return s.fixedWithTicket(ctx, f, b, off, reg)
	}
	return s.fixedNow(ctx, f, b, off, reg)
}

// fixedNow is readFixed of an operation whose ticket has been granted, or that needs none.
func (s *Scheduler) fixedNow(ctx context.Context, f *File, b []byte, off int64, reg uint32) int32 {
	// For a file that has no direct I/O; others have no look.
	if res := s.ReadCached(f, b, off); res > 0 {
		return res
	}
	if p, ok := s.permitPlainRead(ctx, f, len(b)); ok {
		return s.PlainCall(0, p, driver.Read, f, b, off)
	}
	return s.waitOrQueueFixed(ctx, driver.Read, f, b, off, reg)
}
