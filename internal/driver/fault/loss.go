package fault

import (
	"cmp"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// Loss is a driver that is lost in one of its calls.
type Loss struct {
	driver.Driver
	at  int
	err error

	mu    sync.Mutex
	calls int // of Submit, Stage and Reap, until it is lost
	lost  bool
	// withdrawn holds operations of the call in which the driver was lost, which the inner driver
	// never got.
	withdrawn []*driver.Op
	inFlight  int // operations in the inner driver
	woken     bool
}

// NewLoss returns a driver that works as inner until call number at, from 0, of Submit, Stage and
// Reap. This call and all later ones fail with err. If the call is a Submit or a Stage, inner gets
// the first half of the operations, and the second half is not begun. The driver is a driver.Stager
// if inner is one.
func NewLoss(inner driver.Driver, at int, err error) (driver.Driver, *Loss) {
	l := &Loss{Driver: inner, at: at, err: err}
	if s, ok := inner.(driver.Stager); ok {
		return stagingLoss{l, s}, l
	}
	return l, l
}

// Fired reports whether the driver was lost.
func (l *Loss) Fired() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Now makes the driver lost in its next call.
func (l *Loss) Now() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = l.calls
}

// stagingLoss is a Loss over a driver.Stager.
type stagingLoss struct {
	*Loss
	inner driver.Stager
}

// Stage implements driver.Stager.
func (s stagingLoss) Stage(ops []*driver.Op) int {
	n, err := s.take(ops, func(ops []*driver.Op) (int, error) { return s.inner.Stage(ops), nil })
	if err != nil {
		s.Driver.Wake()
	}
	return n
}

// Submit implements driver.Driver.
func (l *Loss) Submit(ops []*driver.Op) (int, error) {
	n, err := l.take(ops, l.Driver.Submit)
	if err != nil {
		l.Driver.Wake() // so that a waiting Reap returns the error
	}
	return n, err
}

// take counts a Submit or Stage, and passes ops to put, the method of the inner driver.
func (l *Loss) take(ops []*driver.Op, put func([]*driver.Op) (int, error)) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost {
		return 0, l.err
	}
	begun := ops
	if l.count() {
		begun = ops[:len(ops)/2]
	}
	l.inFlight += len(begun)
	n, err := put(begun)
	l.inFlight -= len(begun) - n
	if !l.lost {
		return n, err
	}
	for _, op := range ops[n:] {
		op.Res = -int32(syscall.ECANCELED)
		l.withdrawn = append(l.withdrawn, op)
	}
	return len(ops), l.err
}

// count counts a call, and reports whether the driver is lost with it.
func (l *Loss) count() bool {
	l.lost = l.calls == l.at
	l.calls++
	return l.lost
}

// Reap implements driver.Driver.
func (l *Loss) Reap(done []*driver.Op, need int) (int, error) {
	l.mu.Lock()
	if !l.lost {
		l.count()
	}
	l.mu.Unlock()
	for n := 0; ; {
		n += l.takeWithdrawn(done[n:])
		k, err := l.Driver.Reap(done[n:], l.innerNeed(need-n))
		n += k
		if ended, lost := l.reaped(k, n >= need); ended {
			return n, cmp.Or(err, lost)
		}
	}
}

// takeWithdrawn moves withdrawn operations to done, and returns their number.
func (l *Loss) takeWithdrawn(done []*driver.Op) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := copy(done, l.withdrawn)
	l.withdrawn = l.withdrawn[n:]
	return n
}

// innerNeed returns how many operations of the inner driver Reap must wait for.
func (l *Loss) innerNeed(rest int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost {
		rest = min(rest, l.inFlight)
	}
	return max(rest, 0)
}

// reaped is called with the number of operations that the inner driver has returned. It reports
// whether Reap ends, and returns the reason why the driver is lost.
func (l *Loss) reaped(n int, enough bool) (ended bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.inFlight -= n
	if l.lost {
		err = l.err
	}
	ended = enough || l.woken || l.lost && l.inFlight == 0 && len(l.withdrawn) == 0
	l.woken = l.woken && enough // this Reap has used up the Wake
	return ended, err
}

// Wake implements driver.Driver. It notes the caller's Wake, as Submit and Stage call the inner
// driver's Wake, too.
func (l *Loss) Wake() {
	l.mu.Lock()
	l.woken = true
	l.mu.Unlock()
	l.Driver.Wake()
}
