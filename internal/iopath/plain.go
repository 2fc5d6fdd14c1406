package iopath

import (
	"cmp"
	"context"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// MakeCall makes the plain system call for an operation. The calls of reads and writes at an offset
// are inlined, because they may be copies in memory: see Paths.ReadCached.
func MakeCall(code driver.Code, fd int, b []byte, off int64) int32 {
	switch code {
	case driver.Read:
		if off == AtPosition {
			return sys.Read(fd, b)
		}
		res := sys.ResultOf(sys.PreadInto(fd, sys.Base(b), min(len(b), sys.MaxRW), off))
		sys.RaceWrite(b[:max(res, 0)])
		return res
	case driver.Write:
		if off == AtPosition {
			return sys.Write(fd, b)
		}
		sys.RaceRead(b)
		return sys.ResultOf(sys.PwriteFrom(fd, sys.Base(b), min(len(b), sys.MaxRW), off))
	case driver.Fsync:
		return sys.Fsync(fd)
	case driver.Fdatasync:
		return sys.Fdatasync(fd)
	}
	return einval
}

// AcquireAndCall waits for a permit, then makes the plain call. It returns -ECANCELED if ctx ends
// first.
func (p *Paths) AcquireAndCall(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64) int32 {
	permit, err := p.AcquirePermit(ctx, KindOf(code), f)
	if err != nil {
		return ecanceled
	}
	return p.PlainCall(asked, Plain{Permit: permit}, code, f, b, off)
}

// AcquirePermit takes a permit for a call of a kind on f. If ctx ends first, it returns ctx's
// error. It chooses the driver before it waits, because some drivers allow more permits.
func (p *Paths) AcquirePermit(ctx context.Context, kind budget.Kind, f *File) (budget.Permit, error) {
	b := &p.DeviceOf(f).Budget
	if ctx.Done() == nil {
		if permit, ok := b.TryAcquire(kind); ok {
			return permit, nil
		}
	}
	p.Ready()
	p.WidenFor(kind, f)
	return b.Acquire(ctx, kind, ctx.Done() != nil)
}

// KindOf returns a call's kind in a Budget.
func KindOf(code driver.Code) budget.Kind {
	switch code {
	case driver.Read:
		return budget.Reads
	case driver.Write:
		return budget.Writes
	case driver.Fsync, driver.Fdatasync:
		return budget.Syncs
	}
	return budget.Changes
}

// WidenFor raises the number of permits of f's device (budget.Parallel) if none is free for the
// kind, and the driver cannot perform such calls of f without a thread. Threads are then the only
// parallelism, as for an overlay, a network file system, or writes to btrfs. A file in memory needs
// no permits. WidenFor reports whether it did so.
func (p *Paths) WidenFor(kind budget.Kind, f *File) (widened bool) {
	b := &p.DeviceOf(f).Budget
	if f == nil || !b.Full(kind) || b.Limit() >= budget.Parallel {
		return false
	}
	needsThread := kind == budget.Reads && !f.CanLook.Load()
	if f.Flags&driver.Direct != 0 {
		needsThread = f.needsThread.Load() || kind == budget.Writes && f.refused.skip()
	}
	if !needsThread || p.InMemory(f) {
		return false
	}
	b.Widen()
	return true
}

// Plain allows an operation to be a plain call.
type Plain struct {
	budget.Permit
	Check *governor.Governor // is to learn whether the call waits, or nil
}

// Release gives p back, without a call.
func (p *Plain) Release() {
	p.Permit.Release()
	if p.Check != nil {
		p.Check.GiveUpCheck()
	}
}

// PlainCall makes an operation a plain call.
// The caller has acquired plain; PlainCall releases it. It has no permit for a file in memory.
//
// It makes the system call itself (Paths.Call). The kernel's entry clears the processor's return
// predictions, so each function between the caller and the system call costs about 10 ns.
func (p *Paths) PlainCall(asked int64, plain Plain, code driver.Code, f *File, b []byte, off int64) int32 {
	if plain.Check != nil {
		return p.callChecked(asked, plain, code, f, b, off)
	}
	region := p.Recording.Region(context.Background(), RegionNames[code])
	submitted, write := p.Recording.Now(), f.BeginWrite(code)
	res := p.Call(code, f.FD, b, off)
	for res == eintr {
		res = p.Call(code, f.FD, b, off)
	}
	f.EndWrite(code, write, off, res)
	region.End()
	p.Count(counters.Plain, code, f, res)
	if submitted != 0 {
		p.recordCall(record.PathPlain, cmp.Or(asked, submitted), submitted, code, f, len(b), off, res)
	}
	plain.Permit.Release()
	return res
}

// callChecked makes a plain call, and tells the governor whether it had to wait. A goroutine that
// has changed threads during the call has waited, too. Only a call that has moved bytes tells
// anything.
func (p *Paths) callChecked(asked int64, plain Plain, code driver.Code, f *File, b []byte, off int64) int32 {
	before, known := p.ThreadWaits()
	res := p.PlainCall(asked, Plain{Permit: plain.Permit}, code, f, b, off)
	after, _ := p.ThreadWaits()
	switch {
	case !known: // getrusage(2) may be forbidden: it is seldom tried again
		plain.Check.EndCheck(true)
	case res > 0:
		plain.Check.EndCheck(after != before)
	default:
		plain.Check.GiveUpCheck()
	}
	return res
}

// Count counts an operation on f that was a plain call, or queued.
func (p *Paths) Count(path counters.Path, code driver.Code, f *File, res int32) {
	p.Counters.Add(path, code, res)
	f.main.counts.Add(path, code, res)
}

// AtPosition is an offset that stands for the file's own position.
const AtPosition = -1

// Caller makes the plain system call for a transfer or an fsync.
type Caller func(code driver.Code, fd int, b []byte, off int64) int32
