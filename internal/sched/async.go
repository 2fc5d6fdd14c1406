package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
)

// Transfer is a read or write that goes on while who has started it does
// something else: StartRead or StartWrite, then Wait, then it may be started
// again. Its zero value is ready. It is its owner's, who does not copy it in
// between; starting one allocates nothing and blocks for no disk.
//
// No goroutine belongs to it while the driver has it. What the driver has not
// done or not done wholly, or could only do with a thread, is the helpers'.
//
// From Start to its end, which may be long before Wait, it uses its file
// (File.Use): Close waits for it, and not for who is to call Wait.
type Transfer struct {
	// Ended, if not nil, is called at the end of each transfer, before Wait
	// returns and while the file is still used, and is told whether all bytes
	// were transferred. It must not wait; it may start other Transfers. Set
	// while the Transfer is not started; it stays.
	Ended func(all bool)
	// Owner is the caller's: what the Transfer is part of. It stays, too.
	Owner any
	// Class is whose it is, unless the file is a view with a class; nil is the
	// default one. It stays.
	Class *Class

	s    *Scheduler
	f    *File
	code driver.Code
	buf  []byte
	off  int64
	reg  uint32
	// part is up to where in buf it goes for now: to the end of what it has been
	// granted, if it takes turns. extends: a helper is to write it.
	part    int
	extends bool
	turn    *turn // that it has, or waits for; nil if it takes none
	// r is the operation as the engine knows it, from Start to Wait.
	r      *request
	pushed bool // the engine has had it

	// n counts the bytes transferred, res is the last result. Written by who
	// has the Transfer: who starts it, then the leader, then a helper. They
	// pass it on under helpers.mu, the last one to Wait through r.done.
	n   int
	res int32
	// For the record: when what is left was asked for, and when the end was
	// noticed. last: the last part went through the driver, and Result records
	// it.
	asked, woken int64
	last         bool

	group *Group              // whose it is, if not nil
	ended list.Node[Transfer] // in group.ended

	// Under helpers.mu:
	links     list.Node[Transfer] // in crew.queue
	crew      *helperCrew         // whose helpers it waits for; nil if it does not
	withdrawn bool                // its context has ended: nothing more is to be tried
}

// StartRead starts reading len(b) bytes at off, which is not negative, into b.
// Reg is driver.Op's. Until Wait has returned, b is not the caller's. He uses f
// (File.Use) during the call.
func (s *Scheduler) StartRead(t *Transfer, f *File, b []byte, off int64, reg uint32) {
	s.startTransfer(t, driver.Read, f, b, off, reg)
}

// StartWrite starts writing b at off, likewise.
func (s *Scheduler) StartWrite(t *Transfer, f *File, b []byte, off int64, reg uint32) {
	s.startTransfer(t, driver.Write, f, b, off, reg)
}

// StartExtend is StartWrite of what makes the file longer. The kernel waits in
// such a write, whatever the driver, and so a helper makes it.
func (s *Scheduler) StartExtend(t *Transfer, f *File, b []byte, off int64) {
	s.prepare(t, driver.Write, f, b, off, 0)
	t.extends = true
	if s.classed.Load() && s.startInTurn(t) {
		return
	}
	s.helpers.add(t)
}

func (s *Scheduler) startTransfer(t *Transfer, code driver.Code, f *File, b []byte, off int64, reg uint32) {
	s.prepare(t, code, f, b, off, reg)
	if s.classed.Load() && s.startInTurn(t) {
		return
	}
	t.begin()
}

// begin starts a transfer that is prepared, and has its turn or needs none.
func (t *Transfer) begin() {
	switch {
	case len(t.buf) == 0 || t.cached():
		t.end()
	case t.s.async(t.code, t.f):
		t.push()
	default:
		t.s.helpers.add(t)
	}
}

// prepare makes t a transfer that has been started.
func (s *Scheduler) prepare(t *Transfer, code driver.Code, f *File, b []byte, off int64, reg uint32) {
	if t.r != nil {
		panic("sched: a Transfer was started that is in progress")
	}
	*t = Transfer{
		Ended: t.Ended, Owner: t.Owner, Class: t.Class, group: t.group,
		s: s, f: f, code: code, buf: b, off: off, reg: reg, part: len(b), r: requests.Get().(*request), asked: s.hook.Now(),
	}
	t.r.transfer, t.r.tended, t.r.trip = t, t.group != nil, trip{}
	f.refs.Add(1) // as the caller's Use does, and end's Done undoes
	raceBefore(code, b)
}

// cached reads what the page cache has of a file without O_DIRECT, and tells
// whether that is all.
func (t *Transfer) cached() bool {
	for t.code == driver.Read {
		res := t.s.readCached(t.f, t.rest(), t.at())
		if res <= 0 {
			return false
		}
		if t.note(res) {
			return true
		}
	}
	return false
}

func (t *Transfer) rest() []byte { return t.buf[t.n:t.part] }
func (t *Transfer) at() int64    { return t.off + int64(t.n) }

// push hands the transfer to the engine.
func (t *Transfer) push() {
	t.pushed = true
	t.s.waiting.Add(1)
	op := t.fillOp()
	if t.group != nil {
		t.group.queued.Add(1)
		t.group.e.put(op)
		return
	}
	t.s.engineOf(t.f).push(op)
}

// fillOp makes the operation of what is next.
func (t *Transfer) fillOp() *driver.Op {
	op := &t.r.op
	op.Code, op.Flags, op.FD = t.code, t.f.flags, int32(t.f.fd)
	op.Reg = t.s.regIn(t.s.engineOf(t.f), t.reg)
	op.Off, op.Buf = t.at(), t.rest()
	return op
}

// note adds a result and tells whether it is the last one.
func (t *Transfer) note(res int32) (last bool) {
	t.res = res
	if res > 0 {
		t.n += int(res)
	}
	return res <= 0 || t.n == len(t.buf)
}

// end lets Wait, or Group.Next, return, after which t is its owner's.
func (t *Transfer) end() {
	if t.turn != nil {
		t.endTurn()
	}
	if t.Ended != nil {
		t.Ended(t.n == len(t.buf))
	}
	f := t.f
	if g := t.group; g != nil {
		g.add(t)
		f.Done() // now, as add may use the driver, which is not closed before
		return
	}
	f.Done()
	t.r.done <- struct{}{}
}

// completed takes the engine's result. It is called by the leader, or by who
// has cancelled, and does not wait.
func (t *Transfer) completed() {
	s, res := t.s, t.r.op.Res
	s.waiting.Add(-1)
	if t.group != nil {
		t.group.queued.Add(-1)
	}
	if !undone(t.f, res) {
		s.stats.add(pathQueued, t.code, res)
		if t.note(res) {
			t.last = true
			t.end()
			return
		}
		t.recordPart(t.r.trip.completed)
	}
	t.goOn()
}

// goOn sees to what is left, after a part that was done or not done wholly.
func (t *Transfer) goOn() {
	if t.turn != nil && t.n == t.part {
		t.nextTurn()
		return
	}
	t.s.helpers.add(t)
}

// Wait waits until the transfer has ended and returns how many bytes were
// transferred: fewer than all only with an error, as by ReadAt and WriteAt.
// When ctx ends first the transfer is asked to end early, and waited for: the
// buffer is the caller's again in any case.
func (t *Transfer) Wait(ctx context.Context) (int, error) {
	if t.r == nil {
		panic("sched: Wait of a Transfer that was not started")
	}
	t.woken = t.await(ctx)
	return t.Result(ctx)
}

// Result is what Wait returns, of a Transfer that Group.Next has returned. It
// may be started again.
func (t *Transfer) Result(ctx context.Context) (int, error) {
	if t.last {
		t.recordPart(t.woken)
	}
	raceAfter(t.code, t.buf, int32(min(t.n, 1<<30)))
	n, err := t.n, t.err(ctx)
	t.r.op.Buf, t.r.op.Reg, t.r.transfer, t.r.tended = nil, 0, nil, false
	requests.Put(t.r)
	*t = Transfer{Ended: t.Ended, Owner: t.Owner, Class: t.Class}
	return n, err
}

// await waits for the end, and tells when it was noticed if that is recorded: at
// once if nobody had to wait.
func (t *Transfer) await(ctx context.Context) (woken int64) {
	select {
	case <-t.r.done: // also if ctx has ended
		return t.r.trip.completed
	default:
	}
	region := t.s.hook.Region(ctx, regionNames[t.code])
	defer region.End()
	select {
	case <-t.r.done:
	case <-ctx.Done():
		t.Withdraw()
		<-t.r.done
	}
	return t.s.hook.Now()
}

// recordPart records what the driver has done of the transfer.
func (t *Transfer) recordPart(woken int64) {
	if t.asked != 0 {
		t.s.recordQueued(t.s.engineOf(t.f), t.asked, woken, t.r, t.f)
		t.asked = t.r.trip.completed
	}
}

// err is what the result means.
func (t *Transfer) err(ctx context.Context) error {
	switch {
	case t.n == len(t.buf):
		return nil
	case t.res < 0:
		return failure(ctx, t.res)
	case t.code == driver.Read:
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}

// Withdraw asks a transfer to end early, before Wait, or before it comes back
// from Group.Next. It may have ended already.
func (t *Transfer) Withdraw() {
	waiting, pushed := t.s.helpers.withdraw(t)
	switch {
	case waiting:
		t.res = ecanceled
		t.end()
	case t.withdrawTurn():
	case pushed:
		// It may have come back already. Then this does nothing: op stays as
		// it is until Wait returns. But the file and the driver may have been
		// closed since, unless it is in use.
		if t.f.stay() {
			t.s.engineOf(t.f).cancel(&t.r.op)
			t.f.Done()
		}
	}
}
