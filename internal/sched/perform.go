package sched

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
)

// plainOrQueue makes one transfer without a look into the page cache, once it has its ticket or
// needs none.
func (s *Scheduler) plainOrQueue(ctx context.Context, code driver.Code, f *File, b []byte, off int64, reg uint32) int32 {
	kind := governor.Writes
	if code == driver.Read {
		kind = readKind(f, len(b))
	}
	if p, ok := s.tryPlain(ctx, kind, code, f); ok {
		return s.paths.PlainCall(0, p, code, f, b, off)
	}
	return s.waitOrQueue(ctx, code, f, b, off, reg)
}

// waitOrQueue performs an operation that may have to wait: as a plain call, or through the queue.
// Reg is the memory's number of Register, or 0.
func (s *Scheduler) waitOrQueue(ctx context.Context, code driver.Code, f *File, b []byte, off int64, reg uint32) int32 {
	asked := s.paths.Recording.Now()
	switch {
	case !s.paths.CanQueue(code, f):
		return s.paths.AcquireAndCall(ctx, asked, code, f, b, off)
	case off == iopath.AtPosition: // a write: Reads reserve their bytes in readCurrent
		return s.writeReserved(ctx, f, b)
	}
	d := s.DeviceOf(f)
	d.Queued.Add(1)
	res, performed := s.paths.Queue(ctx, asked, code, f, b, off, reg)
	d.Queued.Add(-1)
	switch {
	case performed:
		return res
	case ctx.Err() != nil:
		return ecanceled
	}
	return s.paths.AcquireAndCall(ctx, asked, code, f, b, off)
}

// WithPermit calls do once it has a permit. do waits in system calls of a kind for f, which may be
// nil: Reads do not wait behind Changes that hang.
func (s *Scheduler) WithPermit(kind CallKind, f *File, do func()) {
	_ = s.WithPermitContext(context.Background(), kind, f, do) // this context does not end
}

// WithPermitContext is WithPermit, but if ctx ends before there is a permit, it does not call do,
// and returns ctx's error.
func (s *Scheduler) WithPermitContext(ctx context.Context, kind CallKind, f *File, do func()) error {
	p, err := s.paths.AcquirePermit(ctx, kind, f)
	if err != nil {
		return err
	}
	defer p.Release()
	do()
	return nil
}

// WithReadPermit is WithPermit for Reads that wait for d, on a file that may be closed before do
// returns. Without wait, if no permit is free, it does not call do, and returns false.
func (s *Scheduler) WithReadPermit(d *device.Device, wait bool, do func()) bool {
	p, ok := d.Budget.TryAcquire(budget.Reads)
	if !ok {
		s.Ready() // which may raise the number of permits
		if wait {
			p, _ = d.Budget.Acquire(context.Background(), budget.Reads, false) // never fails
		} else if p, ok = d.Budget.TryAcquire(budget.Reads); !ok {
			return false
		}
	}
	defer p.Release()
	do()
	return true
}

// Results of operations are negative errnos, as in cqe.res.
const (
	eagain    = -int32(syscall.EAGAIN)
	eintr     = -int32(syscall.EINTR)
	ecanceled = -int32(syscall.ECANCELED)
	einval    = -int32(syscall.EINVAL)
	enosys    = -int32(syscall.ENOSYS)
)

// ErrUnconfirmed is the error of a write that was made, and whose context has ended before it was
// known that its bytes are safe. It comes with the context's error.
var ErrUnconfirmed = errors.New("written, but not known to be safe")

// resultOf returns a result as a count and an error.
func resultOf(ctx context.Context, res int32) (int, error) {
	if res < 0 {
		return 0, errorOf(ctx, res)
	}
	return int(res), nil
}

func errorOf(ctx context.Context, res int32) error {
	switch {
	case res == ecanceled && ctx.Err() != nil:
		return ctx.Err()
	case res == qos.Closed:
		return os.ErrClosed
	case res == groupcommit.Unconfirmed:
		return fmt.Errorf("%w: %w", ErrUnconfirmed, ctx.Err())
	}
	return syscall.Errno(-res)
}
