package iopath

import (
	"context"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/limiter"
	"github.com/sluiceio/sluice/internal/sys"
)

// MakeCall makes the plain system call for an operation. The calling thread waits in it.
func MakeCall(code driver.Code, fd int, b []byte, off int64) int32 {
	switch code {
	case driver.Read:
		if off == AtPosition {
			return sys.Read(fd, b)
		}
		return sys.Pread(fd, b, off)
	case driver.Write:
		if off == AtPosition {
			return sys.Write(fd, b)
		}
		return sys.Pwrite(fd, b, off)
	case driver.Fsync:
		return sys.Fsync(fd)
	case driver.Fdatasync:
		return sys.Fdatasync(fd)
	case Writeback:
		return sys.StartWriteback(fd, 0, 0)
	}
	return einval
}

// BlockingCall performs an operation on path 2, because the driver would need a thread for it
// too. The caller's own thread serves, once it has a permit. asked is when the caller
// asked for the operation, for the record, or 0.
func (s *Paths) BlockingCall(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	p, err := s.AcquirePermit(ctx, code, f)
	if err != nil {
		return ecanceled
	}
	return s.PlainCallOn(asked, p, f.FD, code, f, b, off)
}

// AcquirePermit takes a permit for a call of a kind on f. If ctx ends first, it returns ctx's
// error. A call whose context may end also counts in the window of f's device.
func (s *Paths) AcquirePermit(ctx context.Context, code driver.Code, f *File) (limiter.Permit, error) {
	if ctx.Done() != nil && s.Bounds.Blocking > limiter.LeastWindow {
		// NoDevice may stand for several devices, of which one may be stalled.
		if device := s.DeviceOf(f); device != limiter.NoDevice {
			return s.Limiter.AcquireInWindow(ctx, &s.Windows, device, uint8(code))
		}
	}
	if s.Limiter.TryAcquire() { // first: DeviceOf may cost a system call
		return limiter.Permit{}, nil
	}
	return s.Limiter.Acquire(ctx, s.DeviceOf(f))
}

// TryPermit takes a permit for a call on f, without waiting, if fewer than most are taken of
// those that f's device may have.
func (s *Paths) TryPermit(f *File, most int32) (limiter.Permit, bool) {
	if s.Limiter.TryAcquireBelow(most) {
		return limiter.Permit{}, true
	}
	if !s.Limiter.HasQuotas() || s.Limiter.SharedLimit() >= most {
		return limiter.Permit{}, false
	}
	return s.Limiter.TryAcquireOfQuota(s.DeviceOf(f), most)
}

// PlainCall performs an operation on path 2. The caller has acquired p; PlainCall releases it.
func (s *Paths) PlainCall(p limiter.Permit, code driver.Code, f *File, b []byte, off int64) int32 {
	return s.PlainCallOn(0, p, f.FD, code, f, b, off)
}

// PlainCallOn is PlainCall with fd, a descriptor of f. For the record, the caller asked for the
// operation at asked, or now if asked is 0.
func (s *Paths) PlainCallOn(asked int64, p limiter.Permit, fd int, code driver.Code, f *File, b []byte, off int64) int32 {
	region := s.Recording.Region(context.Background(), RegionNames[code])
	submitted := s.Recording.Now()
	call := f.BeginWrite(code)
	res := s.Call(code, fd, b, off)
	for res == eintr {
		res = s.Call(code, fd, b, off)
	}
	f.EndWrite(code, call, res)
	s.Limiter.Release(p)
	region.End()
	s.Counters.Add(counters.Blocking, code, res)
	if submitted != 0 {
		s.recordPlain(asked, submitted, code, f, len(b), off, res)
	}
	return res
}

// callVec makes the plain system call for a transfer. The thread waits in it.
func callVec(code driver.Code, fd int, first []byte, rest [][]byte, off int64) int32 {
	if code == driver.Write {
		return sys.PwriteVec(fd, first, rest, off)
	}
	return sys.PreadVec(fd, first, rest, off)
}

// CallAgain repeats CallVec until no signal interrupts it.
func (s *Paths) CallAgain(code driver.Code, fd int, v *Vec, off int64) (res int32) {
	for res = eintr; res == eintr; {
		res = s.CallVec(code, fd, v.First, v.Rest, off)
	}
	return res
}

// BlockingCallVec is BlockingCall for several buffers.
func (s *Paths) BlockingCallVec(ctx context.Context, code driver.Code, f *File, v *Vec, off int64) int32 {
	asked := s.Recording.Now()
	p, err := s.AcquirePermit(ctx, code, f)
	if err != nil {
		return ecanceled
	}
	region := s.Recording.Region(ctx, RegionNames[code])
	submitted := s.Recording.Now()
	call := f.BeginWrite(code)
	res := s.CallAgain(code, f.FD, v, off)
	f.EndWrite(code, call, res)
	s.Limiter.Release(p)
	region.End()
	s.Counters.Add(counters.Blocking, code, res)
	if submitted != 0 {
		s.recordPlain(asked, submitted, code, f, v.Size(), off, res)
	}
	return res
}

// AtPosition is an offset that stands for the file's own position.
const AtPosition = -1

// Writeback is the code of the call that starts the write-back of a file's dirty
// pages and does not wait for it. It is the scheduler's own: no driver knows it.
const Writeback = driver.NumCodes

// Caller makes the plain system call for a transfer or an fsync.
type Caller func(code driver.Code, fd int, b []byte, off int64) int32
