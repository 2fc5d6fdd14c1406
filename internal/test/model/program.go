package model

import (
	"runtime"
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
	side   Side
	d      device
	rings  []*ring
	open   int // rings in use
	ops    int // operations that have ended
	plains int // ended plain calls

	budgets    budget.All
	budget     budget.Budget
	governor   governor.Governor
	growth     ioengine.Growth
	processors pressure.Signal
	queued     int32
}

// users starts the goroutines that ask for operations, from a number on.
func (r *program) users(from int) {
	for i := from; i < r.Goroutines; i++ {
		u := &user{program: r, number: i}
		u.resume = u.loop
		r.global = append(r.global, &u.goroutine)
	}
}

// Now, ProbeProcessors, Forget and Trial make the program a governor.Journal, like sched's journal.
func (r *program) Now() time.Duration { return r.now + time.Hour }

// usedHere returns the processor time used. A Signal compares it with the processors of the machine
// on which the model runs, so it is scaled to them.
func (r *program) usedHere() time.Duration {
	here := min(runtime.GOMAXPROCS(0), runtime.NumCPU())
	return 1 + r.used*time.Duration(here)/time.Duration(len(r.procs)) // 0 would mean unknown
}

// ProbeProcessors yields in sched. The duration of the yield is not simulated, but known: one time
// slice if the processors are taken.
func (r *program) ProbeProcessors() bool {
	if r.processors.Due(r.now) && r.Computing >= len(r.procs) {
		r.processors.Waited(timeSlice, r.now)
	}
	return r.processors.Taken(r.now)
}

func (r *program) Forget() { r.processors.Forget(r.now) }

func (r *program) Prepare() {}

func (r *program) Trial(governor.Trial) {}

// user is a goroutine of the program that asks for operations.
type user struct {
	goroutine
	*program
	number int
	ring   *ring // the ring that has its operation
	permit budget.Permit
	checks bool // it checks whether its plain call waits
}

// loop is u's work on p after an operation, and at its beginning.
func (u *user) loop(p *proc) {
	u.resume = u.loop
	switch {
	case p.preempt:
		u.yield(p, &u.goroutine)
	case u.number >= u.Goroutines: // a test has taken some away
		u.schedule(p)
	case u.Work == 0:
		u.ask(p)
	default:
		u.run(p, u.Work, func() { u.ask(p) })
	}
}

// ask begins the next operation.
func (u *user) ask(p *proc) {
	few := admission.Few(governor.Reads, u.budgets.Processors(), u.budget.Limit())
	switch {
	case u.side != Sluice:
	case u.taken():
		u.governor.Pause()
	case u.governor.Arrive(u.inFlight()):
		began := u.now
		u.processors.Waits(began)
		u.resume = func(p *proc) {
			u.processors.Waited(u.now-began, u.now)
			u.governor.Begin(u.inFlight(), few, u)
			u.perform(p)
		}
		u.yield(p, &u.goroutine)
		return
	default:
		u.governor.Count(u.inFlight(), few, u)
	}
	u.perform(p)
}

// perform performs an operation that was counted.
func (u *user) perform(p *proc) {
	c := &u.costs
	if u.callsPlain() {
		u.run(p, c.Call+c.Submit, func() { u.call(p) })
		return
	}
	u.queued++
	u.ring = u.rings[u.number%u.open]
	u.resume = u.answered
	u.run(p, c.Push, func() { u.ring.push(p, &u.goroutine) })
}

// taken reports whether the processors are taken (sched.Scheduler.taken).
func (r *program) taken() bool { return r.processors.Taken(r.now) && !r.governor.Immune() }

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
		most = admission.Room(u.governor.Choice(), admission.Load{
			InFlight: u.inFlight(), Permits: u.budget.Limit(), Processors: u.budgets.Processors(), Ready: true, Taken: u.taken(),
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

// call makes a plain call wait, unless operations never wait.
func (u *user) call(p *proc) {
	if u.d.rate == 0 {
		u.called(p)
		return
	}
	u.resume = u.called
	u.enter(p, &u.goroutine)
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

// compute returns a goroutine that only computes.
func (r *program) compute() *goroutine {
	const piece = 50 * time.Microsecond // another thread gets the core after it
	g := new(goroutine)
	g.resume = func(p *proc) {
		r.run(p, piece, func() {
			if p.preempt {
				r.yield(p, g)
				return
			}
			g.resume(p)
		})
	}
	return g
}
