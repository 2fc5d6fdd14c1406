package model

import (
	"time"

	"github.com/sluiceio/sluice/internal/admission"
	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/pressure"
)

// Program describes a program.
type Program struct {
	Goroutines int           // each asks for one operation after another
	Work       time.Duration // computation between two operations
	Computing  int           // goroutines that only compute
	First      int           // goroutines that ask for 200 operations each; then the others begin
}

// Side is the way to perform the operations.
type Side string

// The sides. AllQueued and AllPlain are the fixed choices that the governor has to match.
const (
	OSFile    Side = "os.File"    // a plain call for each, with any number of threads
	Sluice    Side = "sluice"     // the governor chooses
	AllQueued Side = "all queued" // no plain call, not even for a lone operation
	AllPlain  Side = "all plain"  // plain calls while permits are free
)

// program is the running program, with sluice's state of its device.
type program struct {
	m      *machine
	d      *device // nil if operations never wait
	rings  []*ring
	open   int // operations in the device now
	side   Side
	work   time.Duration
	ops    int // operations that have ended
	plains int // ended plain calls

	budgets  budget.All
	budget   budget.Budget
	governor governor.Governor
	growth   ioengine.Growth
	queued   int32

	computing  int // goroutines that only compute
	first      int // goroutines of Program.First that have not ended
	others     []*user
	processors pressure.Signal
}

// judge gives the device more or fewer rings, by a leader's findings.
func (r *program) judge(w ioengine.Window) {
	r.open += r.growth.Judge(w, r.m.now, r.open, len(r.rings), r.processors.Taken(r.m.now))
}

// Now, Taken, Forget and Trial make the program a governor.Journal.
func (r *program) Now() time.Duration { return r.m.now + time.Hour }

// Taken works like sched's journal. The duration of its yield is not simulated, but known: one time
// slice if goroutines that compute have all processors.
func (r *program) Taken() bool {
	if r.processors.Due(r.Now()) && r.computing >= len(r.m.procs) {
		r.processors.Waited(timeSlice, r.m.now)
	}
	return r.processors.Taken(r.m.now)
}

// Forget works like sched's journal.
func (r *program) Forget() { r.processors.Forget(r.m.now) }

// Trial does nothing.
func (r *program) Trial(governor.Trial) {}

// user is a goroutine of the program that asks for operations.
type user struct {
	goroutine
	*program
	number int
	left   int   // operations until it ends; it does not end if this is negative
	ring   *ring // the ring that has its operation
	permit budget.Permit
	checks bool // it checks whether its plain call waits
}

// newUser returns a goroutine that ends after so many operations, or never if left is -1.
func (r *program) newUser(number, left int) *user {
	u := &user{program: r, number: number, left: left}
	u.resume = u.loop
	return u
}

// loop is u's work on p after an operation, and at its beginning.
func (u *user) loop(p *proc) {
	u.resume = u.loop
	if p.preempt {
		u.m.yield(p, &u.goroutine)
		return
	}
	if u.left == 0 {
		u.leave(p)
		return
	}
	u.left--
	if u.work == 0 {
		u.ask(p)
		return
	}
	u.m.run(p, u.work, func() { u.ask(p) })
}

// leave ends u, a goroutine of Program.First. The last one lets the others begin.
func (u *user) leave(p *proc) {
	if u.first--; u.first == 0 {
		for _, o := range u.others {
			u.m.ready(p, &o.goroutine)
		}
	}
	u.m.schedule(p)
}

// ask begins the next operation.
func (u *user) ask(p *proc) {
	if u.callsPlain() {
		u.call(p)
		return
	}
	u.queue(p)
}

// inFlight works like device.Device.InFlight.
func (r *program) inFlight() int32 { return r.queued + r.budget.InUse() }

// callsPlain reports whether to make the operation a plain call, with a permit
// (sched.Scheduler.tryPlain).
func (u *user) callsPlain() (ok bool) {
	most := int32(0)
	switch u.side {
	case OSFile:
		return true
	case AllPlain:
		most = budget.Most
	case Sluice:
		procs, taken := u.budgets.Processors(), u.processors.Taken(u.m.now) && !u.governor.Immune()
		if taken {
			u.governor.Pause()
		} else {
			u.governor.Count(u.inFlight(), admission.Few(governor.Reads, procs, u.budget.Limit()), u)
		}
		most = admission.Room(u.governor.Choice(), admission.Load{
			InFlight: u.inFlight(), Permits: u.budget.Limit(), Processors: procs, Ready: true, Taken: taken,
		})
		if u.checks = u.governor.BeginCheck(); u.checks {
			most = admission.PlainPermits(u.budget.Limit())
		}
	}
	if u.permit, ok = u.budget.TryAcquireBelow(budget.Reads, most); !ok && u.checks {
		u.governor.GiveUpCheck()
	}
	return ok
}

// call makes a plain call.
func (u *user) call(p *proc) {
	c := &u.m.costs
	u.resume = u.called
	if u.d == nil {
		u.m.run(p, c.Loop+c.Call+c.Copy, func() { u.called(p) })
		return
	}
	u.m.run(p, c.Loop+c.Call+c.Submit, func() {
		u.m.enter(p, &u.goroutine)
		u.d.submit(func() { u.m.exit(p, &u.goroutine, c.Block+c.Interrupt) })
	})
}

// called ends a plain call.
func (u *user) called(p *proc) {
	if u.checks {
		u.governor.EndCheck(u.d != nil)
		u.checks = false
	}
	u.permit.Release()
	u.permit = budget.Permit{}
	u.plains++
	u.ops++
	u.loop(p)
}

// queue hands the operation to a ring.
func (u *user) queue(p *proc) {
	c := &u.m.costs
	u.queued++
	u.ring = u.rings[u.number%u.open]
	u.resume = u.answered
	u.m.run(p, c.Loop+c.Push, func() { u.ring.push(p, &u.goroutine) })
}

// answered ends a queued operation.
func (u *user) answered(p *proc) {
	u.ring.wakeNext(p, &u.goroutine)
	u.queued--
	u.ops++
	u.loop(p)
}

// compute returns a goroutine that only computes.
func (r *program) compute() *goroutine {
	const piece = 50 * time.Microsecond // a woken thread gets the core after it
	g := new(goroutine)
	g.resume = func(p *proc) {
		r.m.run(p, piece, func() {
			if p.preempt {
				r.m.yield(p, g)
				return
			}
			g.resume(p)
		})
	}
	return g
}
