// Package governor chooses whether the operations of a device are queued or are plain calls, by
// trying both.
//
// A plain call is quicker than the queue, but its thread keeps its processor, a P of Go's
// scheduler, until the runtime takes that away. So which is better depends on the device, the
// processors, the kernel and the program. A Governor measures it: in neighbouring epochs of a few
// milliseconds it has operations performed in the one and in the other way, and compares how many
// began in a second (Machine).
//
// The models are the hill climbing of .NET's thread pool, and Netflix' concurrency-limits.
//
// # Concurrency
//
// All methods of Governor may be called at the same time.
package governor

import (
	"math"
	"sync"
	"sync/atomic"
	"time"
)

// Kind is a kind of operations. A device has a Governor for each.
type Kind uint8

// The kinds of operations.
const (
	Reads      Kind = iota
	LargeReads      // without O_DIRECT: the copy from the page cache is worth a thread
	// PositionReads are small reads at the file's position, without a look into the page cache.
	PositionReads
	Writes // with O_DIRECT
	Syncs
	Kinds // the number of kinds
)

func (k Kind) String() string {
	return [...]string{"reads", "large reads", "reads at the position", "direct writes", "fsyncs"}[k]
}

// Governor is the Governor of one kind of operations of a device. The zero value is ready to use.
type Governor struct {
	ops    atomic.Uint32 // operations counted
	choice atomic.Uint32 // the Choice in force. Written under mu, and by Pause
	alone  atomic.Bool   // an operation has found nothing in flight since the last sample
	paused atomic.Bool   // Pause was called since the last sample
	begun  atomic.Bool   // there was a first guess
	trying atomic.Bool   // a Choice is on trial. Written under mu
	checks

	mu      sync.Mutex
	epoch   epoch         // under mu
	machine Machine       // under mu
	queued  time.Duration // since when Plain is not in force. Under mu
	awake   time.Duration // when the runtime's monitor is awake, if Plain is in force. Under mu
	tryAt   time.Duration // when a guess of Plain is tried, whatever was earned. Under mu
	prepare time.Duration // when the queue is prepared for a trial of that guess. Under mu
	tried   span          // the epoch of the trial that waits for its second neighbour. Under mu
}

// Journal is where a Governor reads the time, and what it learns of the processors. Its methods may
// be called at the same time.
type Journal interface {
	// Now returns the time of a monotonic clock. It must not use the Governor.
	Now() time.Duration
	// ProbeProcessors reports whether the processors are taken (package pressure). It may wait for
	// a processor to find out: beside plain calls nobody else does.
	ProbeProcessors() bool
	// Computes reports whether the program uses half of the processors' time or more. Then
	// goroutines may be ready while plain calls that wait keep processors from them.
	Computes() bool
	// Forget forgets what others have found out of the processors: a trial has ended, and plain
	// calls keep processors as goroutines that compute do.
	Forget()
	// Prepare prepares the queue, whose first trial may be soon, if only plain calls were made yet.
	// It does not wait. With the queue prepared, plain calls may be good with fewer in flight.
	Prepare()
}

// Trial is a trial with its result; see Machine.
type Trial struct {
	Choice       Choice        // in force in the trial
	Began, Ended time.Duration // times of the Journal
	Operations   uint32        // operations that began in the trial
	// Rate is the rate of the trial over the rate of its neighbours: 1.1 is 10 % faster.
	Rate float64
}

// firstTrial is how long plain calls that were only guessed are in force before the queue is tried,
// in a program that computes, even if the epochs are so long that no trial is earned yet. Chosen:
// so long may a bad guess last.
const firstTrial = 50 * time.Millisecond

// sampleEvery is how many operations there are between two readings of the clock. Chosen: the
// clock, at 50 ns, costs an operation 3 ns.
const sampleEvery = 16

// Choice returns how an operation is to be performed. Until there is a first guess, it is Plain.
func (g *Governor) Choice() Choice {
	if g.InCall() || g.undecided() {
		return Plain
	}
	return Choice(g.choice.Load())
}

// undecided reports whether there was no first guess yet. Beside goroutines that compute none is
// waited for (Pause).
func (g *Governor) undecided() bool { return !g.begun.Load() && !g.paused.Load() }

// Undecided reports whether the caller is to yield before it calls Count for an operation that is
// about to begin beside inFlight others. It is while there was no first guess, unless the operation
// is alone: other goroutines that are ready are to ask for theirs before the plain call of this one
// keeps a processor from them. While the caller yields, its operation counts as in flight for
// others.
func (g *Governor) Undecided(inFlight int32) bool { return inFlight > 0 && g.undecided() }

// Count counts an operation that is about to begin, once, however many calls it takes. InFlight is
// how many operations the device has, beside it. The first guess is Queue as soon as these are more
// than few, and Plain after sampleEvery operations. One call in sampleEvery uses j. If the epoch
// after a trial has ended, Count returns the trial, otherwise nil.
func (g *Governor) Count(inFlight, few int32, j Journal) *Trial {
	if inFlight == 0 && !g.alone.Load() {
		g.alone.Store(true)
	}
	undecided, sampled := g.undecided(), g.sampled()
	if !sampled && (!undecided || inFlight <= few) || g.InCall() {
		return nil
	}
	if !undecided && g.Choice() == Plain && !g.Immune() && j.ProbeProcessors() {
		g.pause()
		return nil
	}
	if !g.mu.TryLock() {
		return nil
	}
	tried := g.machine.Trying()
	ended := g.sample(g.ops.Load(), inFlight, few, j)
	trying := g.machine.Trying()
	g.trying.Store(trying)
	g.mu.Unlock()
	if tried && !trying {
		j.Forget()
	}
	return ended
}

// sampled counts an operation, and reports whether it is one in sampleEvery.
func (g *Governor) sampled() bool {
	n := g.ops.Add(1)
	if n%sampleEvery != 0 {
		return false
	}
	g.counted(n)
	return true
}

// Immune reports whether it counts for nothing that goroutines seem to have all processors: plain
// calls may themselves be what was found, if they are on trial, or do not wait.
func (g *Governor) Immune() bool { return g.trying.Load() || g.InCall() }

// Pause is called in place of Count for an operation that is queued whatever the Governor has
// chosen. After that the epoch in progress begins again, and a trial is given up. Until the next
// sample Queue is in force: beside goroutines that compute, sixteen plain calls may take a tenth of
// a second.
func (g *Governor) Pause() {
	g.sampled()
	g.pause()
}

func (g *Governor) pause() {
	if !g.paused.Load() {
		g.choice.Store(uint32(Queue)) // before paused: the sample that finds paused corrects it
		g.paused.Store(true)
	}
}

// sample notes that n operations were counted. If the second neighbour of a trial ends, sample
// returns the trial, otherwise nil. It must be called with mu held.
func (g *Governor) sample(n uint32, inFlight, few int32, j Journal) *Trial {
	now := j.Now()
	if !g.begun.Load() || inFlight > few && g.machine.Guessed(Plain) { // the load has grown
		before, first := g.machine.Choice(), Queue
		if inFlight <= few {
			first = Plain
		}
		g.begun.Store(true)
		g.prepare, g.tryAt = now+firstTrial/2, now+firstTrial
		g.machine.Start(first)
		g.change(before, now)
	}
	if g.paused.Swap(false) {
		g.machine.Abandon()
		if inFlight > 2*few && g.machine.Choice() == Plain { // few is a guess; Plain was measured
			g.machine.Start(Queue)
		}
		g.epoch.last = 0
		g.change(Queue, now)
	}
	if g.machine.Guessed(Plain) && now >= g.prepare {
		j.Prepare()
		g.prepare = math.MaxInt64 // once
	}
	s, over := g.epoch.sample(n, inFlight, now, g.alone.Swap(false))
	if !over {
		return nil
	}
	if g.machine.Guessed(Plain) && now >= g.tryAt && j.Computes() {
		g.machine.TrySoon()
		g.tryAt = math.MaxInt64 // once
	}
	choice, before := 1-g.machine.best, g.machine.Choice()
	if before == choice {
		g.tried = s
	}
	result, ended := g.machine.Epoch(s.rate(), s.began < g.awake)
	g.epoch.longest = 0
	if g.machine.Trying() {
		g.epoch.longest = 2 * (s.ended - s.began)
		if before == choice { // the trial goes on
			g.epoch.from = g.awake
		}
	}
	g.change(before, now)
	if !ended {
		return nil
	}
	return &Trial{choice, g.tried.began, g.tried.ended, g.tried.ops, math.Exp(result)}
}

// change puts the machine's Choice in force, in place of before. It must be called with mu held.
func (g *Governor) change(before Choice, now time.Duration) {
	c := g.machine.Choice()
	g.choice.Store(uint32(c))
	switch c {
	case before:
	case Queue:
		g.queued = now
	default:
		// The monitor sleeps no longer than it has had nothing to do, and at most sysmonSleep.
		g.awake = now + min(sysmonSleep, now-g.queued)
		if !g.machine.Trying() {
			g.epoch.from = g.awake
		}
	}
}

// State returns the best choice so far, and the last comparison.
func (g *Governor) State() (Choice, Comparison) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.machine.best, g.machine.last
}

// Operations returns how many operations were counted, modulo 2^32.
func (g *Governor) Operations() uint32 { return g.ops.Load() }
