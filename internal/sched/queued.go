package sched

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// queue performs an operation on path 3 and returns its result. asked is when the
// caller asked for it, for the record, or 0.
func (s *Scheduler) queue(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	r := ioengine.NewRequest()
	op := &r.Op
	op.Code, op.Flags, op.FD, op.Off, op.Buf = code, f.flags, int32(f.fd), off, b
	raceBefore(code, b)
	region := s.hook.Region(ctx, regionNames[code])
	e := s.engineOf(f)
	e.Push(r)
	r.Wait(ctx, e)
	region.End()
	res := op.Res
	raceAfter(code, b, res)
	if asked != 0 && !mustRetryPlain(f, res) {
		s.recordQueued(e, asked, record.Now(), r, f)
	}
	r.Free()
	return res
}

// raceBefore and raceAfter report the kernel's accesses to the race detector, as if the
// waiting goroutine had made them. raceBefore reports them at the beginning, so that a
// conflicting access during the operation is found; raceAfter reports them at the end.
func raceBefore(code driver.Code, b []byte) {
	if !sys.RaceEnabled {
		return
	}
	switch code {
	case driver.Read:
		sys.RaceWrite(b)
	case driver.Write:
		sys.RaceRead(b)
	}
}

func raceAfter(code driver.Code, b []byte, res int32) {
	if sys.RaceEnabled && code == driver.Read && res > 0 {
		sys.RaceWrite(b[:res])
	}
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
