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

// program is the running program on its machine, with sluice's state of its device.
type program struct {
	machine
	Program
	side        Side
	d           device
	rings       []*ring
	open        int // rings in use
	ops, plains int // operations that have ended, and plain calls of these

	budgets    budget.All
	budget     budget.Budget
	governor   governor.Governor
	growth     ioengine.Growth
	processors pressure.Signal
	queued     int32
}

// start starts a goroutine of the program.
func (r *program) start(number int) {
	u := &user{program: r, number: number}
	u.resume = u.loop
	r.global = append(r.global, &u.goroutine)
}

// Now, Forget and so on make the program a governor.Journal, like sched's journal.
func (r *program) Now() time.Duration { return r.now + time.Hour }
func (r *program) Forget()            { r.processors.Forget(r.now) }
func (r *program) Prepare()           {}
func (r *program) Computes() bool     { return r.processors.Computes() }

// ProbeProcessors yields in sched. Here the yield takes a time slice if the processors are taken.
func (r *program) ProbeProcessors() bool {
	if r.processors.Due(r.now) && r.Computing >= len(r.procs) {
		r.processors.Waited(timeSlice, r.now)
	}
	return r.processors.Taken(r.now)
}

// yieldNoted makes g, which runs on p, yield so many times, and notes how long that takes.
func (r *program) yieldNoted(p *proc, g *goroutine, times int, then func(*proc)) {
	began := r.now
	r.processors.Waits(began)
	var next func(*proc)
	next = func(p *proc) {
		if times--; times > 0 {
			r.yield(p, g, next)
			return
		}
		r.processors.Waited(r.now-began, r.now)
		g.resume = then
		then(p)
	}
	r.yield(p, g, next)
}

// user is a goroutine of the program.
type user struct {
	goroutine
	*program
	number int   // computes if it only computes
	ring   *ring // the ring that has its operation
	permit budget.Permit
	checks bool // it checks whether its plain call waits
}

// computes is the number of a user that only computes. Another thread gets its core after a piece.
const computes, piece = -1, 50 * time.Microsecond

// loop is u's work on p after an operation or a piece of computation, and at its beginning.
func (u *user) loop(p *proc) {
	switch {
	case p.preempt:
		u.yield(p, &u.goroutine, u.loop)
	case u.number == computes:
		u.run(p, piece, func() { u.loop(p) })
	case u.number >= u.Goroutines: // a test has taken some away
		u.schedule(p)
	case u.Work == 0:
		u.ask(p)
	default:
		u.run(p, u.Work, func() { u.ask(p) })
	}
}

// ask begins the next operation (sched.Scheduler.tryPlain).
func (u *user) ask(p *proc) {
	g, l := &u.governor, u.load()
	few := admission.Few(governor.Reads, l.Processors, l.Permits, l.Ready, true)
	switch {
	case u.side != Sluice:
	case l.InFlight > 0 && u.processors.Ended(u.now):
		u.yieldNoted(p, &u.goroutine, 1, u.ask)
		return
	case l.Taken:
		g.Pause()
	case g.Undecided(l.InFlight):
		u.queued++
		u.yieldNoted(p, &u.goroutine, 1, func(p *proc) {
			u.queued--
			g.Count(u.load().InFlight, few, u)
			u.perform(p)
		})
		return
	default:
		g.Count(l.InFlight, few, u)
	}
	u.perform(p)
}

// load is what the governor and admission look at.
func (r *program) load() admission.Load {
	return admission.Load{
		InFlight: r.queued + r.budget.InUse(), Permits: r.budget.Limit(), Processors: r.budgets.Processors(),
		Ready: true, Taken: r.processors.Taken(r.now) && !r.governor.Immune(),
	}
}

// perform makes the operation a plain call, if there is a permit, or queues it.
func (u *user) perform(p *proc) {
	var plain bool
	most, c := int32(0), &u.costs
	switch u.side {
	case OSFile, AllPlain:
		most = budget.Most
	case Sluice:
		most = admission.Room(governor.Reads, u.governor.Choice(), u.load())
		if u.checks = u.governor.BeginCheck(); u.checks {
			most = admission.PlainPermits(u.budget.Limit())
		}
	}
	u.permit, plain = u.budget.TryAcquireBelow(budget.Reads, most)
	switch {
	case plain, u.side == OSFile:
		u.run(p, c.Call+c.Submit, func() { u.call(p) })
		return
	case u.checks:
		u.governor.GiveUpCheck()
	}
	u.queued++
	u.ring, u.resume = u.rings[u.number%u.open], u.answered
	u.run(p, c.Push, func() { u.ring.push(p, &u.goroutine) })
}

// call makes a plain call wait, unless operations never wait.
func (u *user) call(p *proc) {
	if u.d.rate == 0 {
		u.called(p)
		return
	}
	u.enter(p, &u.goroutine, u.called)
	u.d.submit(func() { u.exit(p, &u.goroutine) })
}

// called ends a plain call.
func (u *user) called(p *proc) {
	if u.checks {
		u.governor.EndCheck(u.d.rate > 0)
	}
	u.permit.Release()
	u.plains++
	u.ops++
	u.loop(p)
}

// answered ends a queued operation.
func (u *user) answered(p *proc) {
	u.ring.wakeNext(p, &u.goroutine)
	u.queued--
	u.ops++
	u.loop(p)
}
