package fault

import (
	"cmp"
	"sync"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// Loss is a driver that is lost with one of its calls.
type Loss struct {
	driver.Driver
	at  int
	err error

	mu    sync.Mutex
	calls int // Submit, Stage and Reap, until it is lost
	lost  bool
	// withdrawn holds what was taken by the call with which it was lost.
	withdrawn []*driver.Op
	flying    int // in the inner driver
	woken     bool
}

// NewLoss makes a driver that works as inner until call number at, from 0, of
// Submit, Stage and Reap. That one fails with err, as do all that follow. Of what
// is submitted with it the inner driver has the first half, and the other half is
// not begun. It is a driver.Stager if inner is one.
func NewLoss(inner driver.Driver, at int, err error) (driver.Driver, *Loss) {
	l := &Loss{Driver: inner, at: at, err: err}
	if s, ok := inner.(driver.Stager); ok {
		return stagingLoss{l, s}, l
	}
	return l, l
}

// Fired reports whether it was lost.
func (l *Loss) Fired() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.lost
}

// Now has it be lost with its next call.
func (l *Loss) Now() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.at = l.calls
}

// stagingLoss is a Loss over a driver that can stage.
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
		l.Driver.Wake() // a Reap that waits is to hear of it
	}
	return n, err
}

// take counts a call by which operations are taken, and has put take them.
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
	l.flying += len(begun)
	n, err := put(begun)
	l.flying -= len(begun) - n
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

// takeWithdrawn moves operations that were not begun into done.
func (l *Loss) takeWithdrawn(done []*driver.Op) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	n := copy(done, l.withdrawn)
	l.withdrawn = l.withdrawn[n:]
	return n
}

// innerNeed is for how many operations of the inner driver to wait.
func (l *Loss) innerNeed(rest int) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.lost {
		rest = min(rest, l.flying)
	}
	return max(rest, 0)
}

// reaped notes that n operations came from the inner driver, and reports whether
// Reap has ended, and why the driver is lost.
func (l *Loss) reaped(n int, enough bool) (ended bool, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.flying -= n
	if l.lost {
		err = l.err
	}
	ended = enough || l.woken || l.lost && l.flying == 0 && len(l.withdrawn) == 0
	l.woken = l.woken && enough // which has not ended it
	return ended, err
}

// Wake implements driver.Driver. The inner driver's Wake serves a loss, too, so
// whether it was asked for by our user is noted.
func (l *Loss) Wake() {
	l.mu.Lock()
	l.woken = true
	l.mu.Unlock()
	l.Driver.Wake()
}
