//go:build sluice_probes

package budget

import (
	"testing"

	"github.com/sluiceio/sluice/internal/probe"
)

// play is a Budget whose permits are all taken, and its waiters. Two Budgets share a bound of one.
type play struct {
	w       *world
	taken   Permit
	waiters []*waiter
	inside  bool // the one that comes has a permit
}

func newPlay(waiting, budgets int) *play {
	p := &play{w: newWorld(budgets, 2, budgets-1)}
	for _, q := range p.w.of[0].fill(Reads) {
		p.taken = q
	}
	for range waiting {
		p.w.all.enqueue(p.add())
	}
	return p
}

func (p *play) add() *waiter {
	w := newWaiter()
	w.wants = Permit{p.w.of[len(p.waiters)%len(p.w.of)], Reads, false}
	p.waiters = append(p.waiters, w)
	return w
}

func (p *play) release() { p.taken.Release() }

// come adds a waiter, unless there is a permit for it.
func (p *play) come() {
	w := p.add()
	if p.inside = w.wants.take(Most); !p.inside {
		p.inside = p.w.all.enqueue(w)
	}
}

// try takes a permit, if it can, and gives it back.
func (p *play) try() {
	if q, ok := p.w.of[0].TryAcquire(Reads); ok {
		q.Release()
	}
}

// giveUp is what the first waiter does when its context ends.
func (p *play) giveUp() { p.w.all.abandon(p.waiters[0]) }

// interrupted is a probe that calls other before the access of this number, unless other would have
// to wait: free says that it would not.
type interrupted struct {
	free   func() bool
	access int
	other  func()
	done   bool
}

func (i *interrupted) Step() {
	if i.access--; i.access == 0 && i.free() {
		probe.Set(nil)
		i.other()
		i.done = true
		probe.Set(i)
	}
}

func (i *interrupted) Wait(func() bool) { i.Step() }
func (i *interrupted) Saw(any)          {}

// interrupt calls a, and b before a's access of this number, or after a. It returns false if a has
// fewer accesses.
func (p *play) interrupt(a func(), access int, b func()) bool {
	alone := len(p.w.of) == 1 && len(p.waiters) == 0 // then no call but the first one's takes mu
	i := &interrupted{func() bool {
		return p.w.all.mu.Free() || alone && p.w.of[0].waiting.Load() == 0
	}, access, b, false}
	probe.Set(i)
	a()
	probe.Set(nil)
	if !i.done {
		b()
	}
	return i.access <= 0
}

// The last waiter is woken for the permit. One goroutine runs a method of the Budget,
// and between any two of its accesses to the shared fields another goroutine runs a method, too.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		name    string
		waiting int // before
		a, b    func(*play)
	}{
		{"release and come", 0, (*play).release, (*play).come},
		{"come and release", 0, (*play).come, (*play).release},
		{"release and give up", 2, (*play).release, (*play).giveUp},
		{"give up and release", 2, (*play).giveUp, (*play).release},
		{"try and release", 1, (*play).try, (*play).release},
		{"release and try", 1, (*play).release, (*play).try},
	} {
		for _, budgets := range []int{1, 2} {
			t.Run(c.name, func(t *testing.T) {
				for access, more := 1, true; more; access++ {
					p := newPlay(c.waiting, budgets)
					more = p.interrupt(func() { c.a(p) }, access, func() { c.b(p) })
					if last := p.waiters[len(p.waiters)-1]; !p.inside && len(last.ready) == 0 {
						t.Errorf("the last waiter was forgotten, if the second call is made before access %d of the first", access)
					}
				}
			})
		}
	}
}
