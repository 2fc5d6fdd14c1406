package iopath

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// Queue makes the driver perform an operation, waits for it without a thread, and returns its
// result. reg is the memory's number of Rings.Register, or 0. If ctx ends first, the result may be
// -ECANCELED; see ioengine.Request.Wait. performed is false if a plain call must perform the
// operation.
func (p *Paths) Queue(ctx context.Context, asked int64, code driver.Code, f *File, b []byte, off int64, reg uint32) (res int32, performed bool) {
	r := p.Requests.New()
	e := p.RingsOf(f).Of(r)
	op := &r.Op
	op.Code, op.Flags, op.FD, op.Off, op.Buf = code, f.Flags, int32(f.FD), off, b
	// A write whose context can end is not left: few calls may outlive their contexts
	// (docs/decisions/0004-budget.md).
	if code == driver.Write && ctx.Done() == nil && p.leftToKernel(f) {
		op.Flags &^= driver.NoWait
	}
	ioengine.RaceBefore(code, b)
	region := p.Recording.Region(ctx, RegionNames[code])
	op.Reg = p.Engines.RegIn(e, reg)
	write := f.BeginWrite(code)
	e.Push(r)
	r.Wait(ctx)
	region.End()
	res = op.Res
	f.EndWrite(code, write, off, res)
	ioengine.RaceAfter(code, b, res)
	f.NoteResult(code, res)
	if performed = f.Performed(res); performed {
		p.Count(counters.Queued, code, f, res)
		if asked != 0 {
			p.RecordQueued(asked, record.Now(), r, f)
		}
	}
	r.Free()
	return res, performed
}

// leftToKernel reports whether direct writes to f that must wait, as over blocks in the page cache,
// do so in kernel threads, if their contexts cannot end. Otherwise they are made again as plain
// calls (driver.NoWait), which cost a second submission and keep processors from the goroutines. So
// once an operation of f had to wait, f's writes are left to the kernel, if the driver has such
// threads, unless
//
//   - only one thread at a time may write to f;
//   - there are several devices: a submitting thread has one kernel thread for all of them, and a
//     device that does not answer may hold it.
func (p *Paths) leftToKernel(f *File) bool {
	return p.Driver.Workers > 0 && f.writesWait.Load() && p.Engines.OneDevice()
}

// refusals counts, as its misses, the direct writes to a file in a row that the driver refused,
// because they would have waited, and which were made again as plain calls. On btrfs that is nearly
// every write, and where writes are not left to the kernel also each one over cached blocks. After
// missesBeforeSkip of them the file's writes are plain calls at once. After mostSkipped such calls
// the driver is tried again.
type refusals struct{ missCounter }

// skip reports whether writes are plain calls at once.
func (r *refusals) skip() bool { return r.misses.Load() >= missesBeforeSkip }

// skipped notes a write that was a plain call at once. When the driver is tried again, one refusal
// is enough.
func (r *refusals) skipped() {
	if r.misses.Add(1) >= missesBeforeSkip+mostSkipped {
		r.misses.Store(missesBeforeSkip - 1)
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
	enomem     = -int32(syscall.ENOMEM)
)

// NoteResult notes what res, the driver's result of code on f, says about f.
func (f *File) NoteResult(code driver.Code, res int32) {
	switch {
	case code != driver.Write:
	case res == eagain:
		f.refused.miss()
	default:
		f.refused.hit()
	}
	switch res {
	case eagain: // it would have had to wait
		f.waited.Do(func() { f.writesWait.Store(sys.WritesInParallel(f.FD)) })
	case eopnotsupp:
		// The file system refuses driver.NoWait: later operations are plain calls at once.
		if f.Flags&driver.NoWait != 0 {
			f.needsThread.Store(true)
		}
	}
}

// Performed reports whether the driver has performed an operation on f with the result res. If not,
// a plain call must.
func (f *File) Performed(res int32) bool {
	switch res {
	case eagain: // it would have had to wait
		return false
	case eintr, ecanceled, efault, enomem:
		// io_uring fails requests with the first three errors if the thread that submitted them has
		// ended since. A thread ends when the goroutine that is locked to it returns, and any
		// goroutine of the program may be a submitter. If the buffer really is bad, the plain call
		// reports EFAULT again.
		//
		// With ENOMEM the kernel had no memory for the request. If the file system had none, the
		// plain call reports that again. A write with O_SYNC fails whatever the plain call returns,
		// because the fsync that follows it may have lost data (groupcommit.LostWrites).
		return false
	case eopnotsupp:
		return f.Flags&driver.NoWait == 0
	}
	return true
}
