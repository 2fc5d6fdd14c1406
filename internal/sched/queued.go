package sched

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
)

// queue performs an operation on path 3 and returns its result. asked is when the
// caller asked for it, for the record, or 0.
func (s *Scheduler) queue(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	r := ioengine.NewRequest()
	op := &r.Op
	op.Code, op.Flags, op.FD, op.Off, op.Buf = code, f.flags, int32(f.fd), off, b
	ioengine.RaceBefore(code, b)
	region := s.hook.Region(ctx, regionNames[code])
	e := s.engineOf(f)
	e.Push(r)
	r.Wait(ctx, e)
	region.End()
	res := op.Res
	ioengine.RaceAfter(code, b, res)
	if asked != 0 && !mustRetryPlain(f, res) {
		s.recordQueued(e, asked, record.Now(), r, f)
	}
	r.Free()
	return res
}

const (
	eagain     = -int32(syscall.EAGAIN)
	eintr      = -int32(syscall.EINTR)
	efault     = -int32(syscall.EFAULT)
	ecanceled  = ioengine.Canceled
	eopnotsupp = -int32(syscall.EOPNOTSUPP)
	einval     = -int32(syscall.EINVAL)
	enosys     = -int32(syscall.ENOSYS)
	// eclosed is the result of an operation that waited for its ticket while the file
	// was closed.
	eclosed = qos.Closed
)
