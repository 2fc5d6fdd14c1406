package sched

import (
	"runtime"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/sys"
)

// inlineCalls decides which reads are plain calls, of those that the driver could queue: of
// direct ones, and of small buffered ones that have looked into the page cache in vain.
//
// With few operations in flight, a plain call is quicker than the queue. But a thread that
// waits in a plain call keeps its processor, a P of Go's scheduler, until the runtime takes it
// away, which can last 10 ms. While plain calls have all processors, no other goroutine runs. So
// none asks for an operation, nothing is ever queued, and each plain call finds itself alone:
// a program with many goroutines would make two operations at a time, for as long as it runs.
//
// So now and then an operation lets the other goroutines run first (runtime.Gosched). If more is in
// flight then than may be plain calls, or that many other goroutines have come, the operation is
// queued, and so are the next crowdMemory operations: among many goroutines there are moments in
// which next to nothing is in flight.
type inlineCalls struct {
	// yield lets the other goroutines run: runtime.Gosched. caller returns which goroutine calls it.
	// Tests and Simulate replace them.
	yield  func()
	caller func() goroutine
	// yielding counts the operations that let others run at the moment, and came is who has come
	// meanwhile.
	yielding atomic.Int32
	came     goroutineSet
	// candidates counts the operations that may be plain calls.
	candidates atomic.Uint32
	// patience is how many candidates more than yieldEvery pass before one yields.
	patience atomic.Uint32
	// crowd is how many more operations are queued because others were found. It is only
	// a hint: goroutines that lower it at the same time may lower it too little.
	crowd atomic.Int32
}

// yieldEvery is odd: two goroutines that take turns would otherwise have the same one of them
// yield each time, perhaps the one whose processor has nobody else to run.
//
// A yield that finds nobody may still move the goroutine to another thread: one in 17 took a fifth
// of the reads of four goroutines. So each such yield makes the next one come later, up to
// mostPatience. Where goroutines that compute have all processors, a yield takes as long as their
// time slices, 10 ms and more. After such a slow one the next one comes some four times as late, up
// to slowPatience. One that finds a crowd makes the next one come soon. The sum stays odd.
const (
	yieldEvery   = 17
	patienceStep = 18
	mostPatience = patienceStep
	slowPatience = 255 * patienceStep
	crowdMemory  = 32
)

// permitInline takes a permit for an operation on f that the driver could queue, and that is to
// be a plain call. It fails if as many operations as most are in flight: queued, or in plain calls
// to f's device. If there is one processor, it fails if any is. With Limits.BesideQueue,
// what is queued does not count.
func (s *Scheduler) permitInline(f *File, most int32) (budget.Permit, bool) {
	if s.besideQueue(f, most) {
		return s.TryPermit(f, most)
	}
	c := &s.inline
	n := s.inFlight(f)
	if n+c.yielding.Load() >= most || c.takeFromCrowd() {
		return budget.Permit{}, false
	}
	// Asked for only here: it takes a lock of the runtime.
	if runtime.GOMAXPROCS(0) == 1 {
		most = 1
	}
	if n >= most {
		return budget.Permit{}, false
	}
	if c.yielding.Load() > 0 {
		c.came.add(c.caller())
	}
	if c.candidates.Add(1)%(yieldEvery+c.patience.Load()) == 0 && s.findsCrowd(f, c.caller(), most) {
		return budget.Permit{}, false
	}
	return s.TryPermit(f, most)
}

// besideQueue reports whether an operation is a plain call if fewer than most are, however much is
// queued. Plain calls cannot keep the other goroutines from running then, as there are more processors
// than they may have. The program may have lowered their number since the Scheduler was made.
func (s *Scheduler) besideQueue(f *File, most int32) bool {
	return s.Bounds.BesideQueue && s.DeviceOf(f).Budget.InUse() < most && runtime.GOMAXPROCS(0) > int(most)
}

// findsCrowd lets others run, and reports whether they keep so many operations going that this one
// is to be queued.
func (s *Scheduler) findsCrowd(f *File, caller goroutine, most int32) bool {
	c := &s.inline
	if c.yielding.Add(1) == 1 {
		c.came.clear()
	}
	began := s.Clock()
	c.yield()
	slow := s.Clock()-began >= sys.SlowYield
	others := c.yielding.Add(-1)
	// Those that have come and gone count, too: while plain calls have all processors, few are in
	// flight at once.
	patience := c.patience.Load()
	switch {
	case s.inFlight(f)+others >= most || c.came.others(caller) >= int(most):
		c.crowd.Store(crowdMemory)
		c.patience.Store(0)
		return true
	case slow:
		c.patience.Store(min(4*(patience+patienceStep), slowPatience))
	default:
		c.patience.Store(min(patience+patienceStep, mostPatience))
	}
	return false
}

// takeFromCrowd counts this operation against crowd, and reports whether it is to be queued for that.
func (c *inlineCalls) takeFromCrowd() bool {
	n := c.crowd.Load()
	if n > 0 {
		c.crowd.Store(n - 1)
	}
	return n > 0
}

// inFlight returns how many operations are queued, or in plain calls to f's device. It leaves out those of
// TransferSets.
func (s *Scheduler) inFlight(f *File) int32 { return s.QueuedOps.Load() + s.DeviceOf(f).Budget.InUse() }
