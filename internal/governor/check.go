package governor

import "sync/atomic"

// checks finds out whether plain calls wait at all. On a disk in memory, such as zram or pmem, the
// call itself does all the work: there the queue only adds to it, and the goroutines keep the
// processors as those that compute do. So now and then a plain call is checked, whatever is in
// force. After calls that have waited, the next check comes later each time.
type checks struct {
	notDue atomic.Bool   // a goroutine checks, or the next check is not due yet
	next   atomic.Uint32 // when it is: a count of operations; 0 while one is due, or goes on
	inCall atomic.Bool   // see InCall
	// Of the goroutine that checks.
	score int
	gap   uint32 // operations until the next check
}

const (
	// Operations between two checks. A check costs two system calls, 400 ns in all. If the call
	// waits, it also keeps a processor from others. Chosen: checks cost less than 1 %.
	leastGap, gapAfterWait, mostGap = 64, 1 << 10, 1 << 16
	// The score of the plain calls: each call that did not wait adds one, up to mostScore, and each
	// that did takes waited. With a score of waited or more, the calls count as not waiting.
	waited, mostScore = 4, 8
)

// BeginCheck reports whether the caller is to make its operation a plain call, and to check whether
// it waits. The caller then calls EndCheck, or GiveUpCheck if there was no call.
func (c *checks) BeginCheck() bool { return !c.notDue.Load() && c.notDue.CompareAndSwap(false, true) }

// GiveUpCheck ends a check that has shown nothing.
func (c *checks) GiveUpCheck() { c.notDue.Store(false) }

// EndCheck notes whether a plain call had to wait.
func (g *Governor) EndCheck(waits bool) {
	c := &g.checks
	if waits {
		c.score = max(0, c.score-waited)
		c.gap = min(max(4*c.gap, gapAfterWait), mostGap)
	} else {
		c.score = min(c.score+1, mostScore)
		c.gap = leastGap
	}
	if inCall := c.score >= waited; inCall != c.inCall.Load() {
		c.inCall.Store(inCall)
		if !inCall {
			g.pause() // while calls did not wait, the epoch has seen nothing
		}
	}
	c.next.Store(max(1, g.ops.Load()+c.gap))
}

// InCall reports whether plain calls do their work in the call, and do not wait.
func (c *checks) InCall() bool { return c.inCall.Load() }

func (c *checks) counted(n uint32) {
	if next := c.next.Load(); next != 0 && int32(n-next) >= 0 && c.next.CompareAndSwap(next, 0) {
		c.notDue.Store(false)
	}
}
