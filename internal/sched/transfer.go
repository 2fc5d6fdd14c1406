package sched

import (
	"context"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/qos"
)

// Transfer is a read or write that goes on while the goroutine that started it does something
// else. The order of calls is StartRead or StartWrite, then Wait, then perhaps another start.
// The zero value is ready to use. A Transfer has one owner, and must not be copied between
// start and Wait. Starting one allocates nothing and never waits for the disk.
//
// A Transfer uses its file (File.Use) from its start to its end, which may come long before Wait.
// File.Close waits for the end, and not for Wait.
type Transfer struct {
	// Ended, if not nil, is called at the end of each transfer, before Wait or TransferSet.Next
	// returns and while the file is still in use. All reports whether every byte was
	// transferred. Ended must not wait. It may start other Transfers. The owner sets it while
	// the Transfer is not started; it is kept from one start to the next.
	Ended func(all bool)
	// Owner is free for the caller, for example for what the Transfer is part of. It is kept, too.
	Owner any
	// Class is the operation's class, unless the file is a view with a class. Nil is the default
	// class. Class is kept, too.
	Class *Class
	// Ends says that the context of Wait or of TransferSet.Next can end. Then few Transfers are
	// plain calls at a time: a plain call goes on after the end. A TransferSet sets Ends. It is
	// kept, too.
	Ends bool

	s    *Scheduler
	f    *File
	code driver.Code
	buf  []byte
	off  int64
	reg  uint32
	// grantedEnd is the end, in buf, of what may be transferred now: with classes, of what the
	// ticket has been granted; without, it is len(buf).
	grantedEnd int
	extends    bool // the write makes the file longer, so a helper performs it
	// ticket is nil if the transfer needs none. The owner sets it at the start, and it stays
	// until Result. hasTicket: the ticket is granted and has not ended.
	ticket    *qos.Ticket
	hasTicket bool
	// r is the operation as the engine knows it. It is set from the start until Result.
	r      *ioengine.Request
	pushed bool // the engine has been given r

	// n is the number of bytes transferred, and res is the last result. Only the goroutine
	// that has the Transfer writes them: the one that starts it, then the leader goroutine,
	// then a helper. The inbox of the engine passes them to the leader, helpersMu to a
	// helper, and r.done or TransferSet.mu to the owner.
	n   int
	res int32
	// mark is what LostWrites.Confirm needs. call is the number of the driver's call, for
	// LostWrites.End.
	mark int
	call uint64
	// For the records: asked is when what is left was asked for. recordAtResult: the driver
	// performed the last part, which is recorded once the owner has noticed the end.
	asked          int64
	recordAtResult bool

	set *TransferSet // the TransferSet that it was started through, or nil

	// All three are under Scheduler.helpersMu.
	links     list.Node[Transfer] // in deviceHelpers.queue
	helpers   *deviceHelpers      // whose queue it is in; nil if it is in none
	withdrawn bool                // Withdraw was called: nothing more is to be tried
}

// StartRead starts reading len(b) bytes at off into b. Off is not negative, and reg is the memory's
// number of Register, or 0. The caller must not touch b until Wait or TransferSet.Next has
// returned, and must use f (File.Use) during this call.
func (s *Scheduler) StartRead(t *Transfer, f *File, b []byte, off int64, reg uint32) {
	s.startTransfer(t, driver.Read, f, b, off, reg, false)
}

// StartWrite starts writing b at off. The rules of StartRead apply. If the write extends the file,
// the kernel blocks the thread, whatever the driver, so a helper performs it.
func (s *Scheduler) StartWrite(t *Transfer, f *File, b []byte, off int64, reg uint32, extends bool) {
	s.startTransfer(t, driver.Write, f, b, off, reg, extends)
}

func (s *Scheduler) startTransfer(t *Transfer, code driver.Code, f *File, b []byte, off int64, reg uint32, extends bool) {
	if t.r != nil {
		panic("sched: a Transfer was started that is in progress")
	}
	*t = Transfer{
		Ended: t.Ended, Owner: t.Owner, Class: t.Class, Ends: t.Ends, set: t.set,
		s: s, f: f, code: code, buf: b, off: off, reg: reg, grantedEnd: len(b), extends: extends,
		r: s.paths.Requests.New(), asked: s.paths.Recording.Now(), mark: f.LostWrites.Mark(),
	}
	t.r.Client = t
	f.UseMore() // until end
	if t.asked != 0 {
		f.RecordedName() // now: the record may be made when f is closed
	}
	ioengine.RaceBefore(code, b)
	switch {
	case s.paths.Classes.Active() && s.startWithTicket(t):
	case len(b) == 0 || t.cached():
		t.end()
	case !extends && s.paths.CanQueue(code, f):
		t.push()
	default:
		t.giveToHelper()
	}
}

// cached reads what the page cache has, unless the file was opened with O_DIRECT. It reports
// whether that was everything, or the end of the file.
func (t *Transfer) cached() bool {
	for t.code == driver.Read {
		res := t.s.paths.ReadCached(t.f, t.rest(), t.at())
		if res < 0 {
			return false
		}
		if t.addResult(res) {
			return true
		}
	}
	return false
}

func (t *Transfer) rest() []byte { return t.buf[t.n:t.grantedEnd] }
func (t *Transfer) at() int64    { return t.off + int64(t.n) }

// push hands the transfer to the engine. A TransferSet's transfer stays in the inbox until
// TransferSet.Submit or TransferSet.Next submits it.
func (t *Transfer) push() {
	e := t.engine()
	t.beginPart(t.s.paths.Engines.RegIn(e, t.reg))
	t.counter().Add(1)
	if t.set != nil {
		t.r.InSet = true
		e.Queue(t.r)
		return
	}
	e.Push(t.r)
}

// engine returns the engine for the next part.
func (t *Transfer) engine() *ioengine.Engine {
	if t.set != nil {
		return t.set.Engine()
	}
	return t.s.paths.RingsOf(t.f).Of(t.r)
}

// beginPart fills in the operation for the next part, which the engine is given at once. The engine
// knows the memory by reg.
func (t *Transfer) beginPart(reg uint32) {
	t.pushed = true
	t.call = t.f.BeginWrite(t.code)
	op := &t.r.Op
	op.Code, op.Flags, op.FD = t.code, t.f.Flags, int32(t.f.FD)
	op.Reg, op.Off, op.Buf = reg, t.at(), t.rest()
}

// addResult adds a result and reports whether it is the last one.
func (t *Transfer) addResult(res int32) (last bool) {
	t.res = res
	if res > 0 {
		t.n += int(res)
	}
	return res <= 0 || t.n == len(t.buf)
}

// end makes Wait or TransferSet.Next return. From then on t is its owner's again.
func (t *Transfer) end() {
	if t.hasTicket {
		t.endTicket()
	}
	if t.Ended != nil {
		t.Ended(t.n == len(t.buf))
	}
	f := t.f
	if g := t.set; g != nil {
		g.End(t.r)
		f.Done() // now: End may use the driver, and Scheduler.Close waits for this use of f
		return
	}
	f.Done()
	t.r.End()
}

// Completed takes the engine's result. The leader goroutine calls it, or the goroutine that
// canceled the operation. It does not wait.
func (t *Transfer) Completed() {
	s, res := t.s, t.r.Op.Res
	t.f.EndWrite(t.code, t.call, t.at(), res)
	t.counter().Add(-1)
	t.f.NoteResult(t.code, res)
	if !t.f.Performed(res) {
		t.continueRest()
		return
	}
	s.paths.Count(counters.Queued, t.code, t.f, res)
	if t.addResult(res) {
		t.recordAtResult = true
		t.end()
		return
	}
	t.recordPart(t.r.Times.Completed)
	t.continueRest()
}

// counter counts the operations that the engine has: t's set's, or else t's device's.
func (t *Transfer) counter() *atomic.Int32 {
	if t.set != nil {
		return &t.set.Queued
	}
	return &t.s.DeviceOf(t.f).Queued
}

func (t *Transfer) continueRest() {
	if t.hasTicket && t.n == t.grantedEnd {
		t.endTicket()
		if !t.requestTicket() {
			return
		}
	}
	t.giveToHelper()
}

// Wait waits until the transfer has ended and returns how many bytes were transferred. As with
// ReadAt and WriteAt, it is fewer than all only with an error. If ctx ends first, Wait asks the
// transfer to end early and waits until it has: the buffer is the caller's again in any case.
func (t *Transfer) Wait(ctx context.Context) (int, error) {
	if t.r == nil {
		panic("sched: Wait of a Transfer that was not started")
	}
	return t.result(ctx, t.await(ctx))
}

// Result returns what Wait returns, for a Transfer that TransferSet.Next has just returned.
// Afterwards the Transfer may be started again.
func (t *Transfer) Result(ctx context.Context) (int, error) {
	return t.result(ctx, t.s.paths.Recording.Now())
}

// result is Result for an owner that was woken then, which is for the record.
func (t *Transfer) result(ctx context.Context, woken int64) (int, error) {
	if t.recordAtResult {
		t.recordPart(woken)
	}
	ioengine.RaceAfter(t.code, t.buf, int32(min(t.n, 1<<30)))
	n, err := t.n, error(nil)
	if n < len(t.buf) {
		err = shortOf(ctx, t.code, t.res)
	}
	// The bytes of a write count only if no lost write-back makes its success doubtful.
	if t.code == driver.Write {
		if res := t.f.LostWrites.Confirm(ctx, t.mark, 1); res < 0 && err == nil {
			n, err = 0, errorOf(ctx, res)
		}
	}
	t.r.Free()
	if t.ticket != nil {
		t.ticket.Free()
	}
	*t = Transfer{Ended: t.Ended, Owner: t.Owner, Class: t.Class, Ends: t.Ends}
	return n, err
}

// await waits for the end. It returns when the owner noticed the end, for the record.
func (t *Transfer) await(ctx context.Context) (woken int64) {
	select {
	case <-t.r.Done(): // first, so that a transfer that has ended wins over a ctx that has
		return t.r.Times.Completed
	default:
	}
	region := t.s.paths.Recording.Region(ctx, iopath.RegionNames[t.code])
	defer region.End()
	select {
	case <-t.r.Done():
	case <-ctx.Done():
		t.Withdraw()
		<-t.r.Done()
	}
	return t.s.paths.Recording.Now()
}

// recordPart records the part that the driver has performed.
func (t *Transfer) recordPart(woken int64) {
	if t.asked != 0 {
		t.s.paths.RecordQueued(t.asked, woken, t.r, t.f)
		t.asked = t.r.Times.Completed
	}
}

// Withdraw asks a transfer to end early. The owner calls it before Wait, or before TransferSet.Next
// returns the Transfer. The transfer may have ended already.
func (t *Transfer) Withdraw() {
	waiting, pushed := t.withdraw()
	switch {
	case waiting:
		t.Rejected(ecanceled)
	case t.ticket != nil && t.ticket.Withdraw():
	case pushed:
		// The operation may have come back already. Then cancel does nothing, because op stays
		// as it is until Wait returns. But the file and the driver may have been closed since.
		// UseAgain finds that out, and keeps them open during cancel.
		if t.f.UseAgain() {
			t.r.Cancel()
			t.f.Done()
		}
	}
}
