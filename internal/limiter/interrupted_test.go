//go:build probes

package limiter

import (
	"testing"

	"github.com/sluiceio/sluice/internal/probe"
)

// play is a limiter with one permit, which is taken, and its waiters.
type play struct {
	l       *Limiter
	waiters []*waiter
	inside  bool // the one that comes has a permit
}

func (p *play) release() { p.l.Release(Permit{}) }

// come adds a waiter, unless there is a permit for it.
func (p *play) come() {
	w := newWaiter()
	p.waiters = append(p.waiters, w)
	if p.inside = p.l.TryAcquire(); !p.inside {
		_, p.inside = p.l.enqueue(w)
	}
}

// giveUp is what the first waiter does when its context ends.
func (p *play) giveUp() { p.l.abandon(p.waiters[0]) }

// interrupted is a probe that calls other before the access of this number, unless other would have to wait.
type interrupted struct {
	*play
	access int
	other  func(*play)
	done   bool
}

func (i *interrupted) Step() {
	if i.access--; i.access == 0 && i.l.mu.Free() {
		probe.Set(nil)
		i.other(i.play)
		i.done = true
		probe.Set(i)
	}
}

func (i *interrupted) Wait(func() bool) { i.Step() }
func (i *interrupted) Saw(any)          {}

// The last waiter gets the permit or is woken for it. One goroutine runs a method of the limiter, and between any two of
// its accesses to the shared fields another goroutine runs a method, too.
func TestInterrupted(t *testing.T) {
	for _, c := range []struct {
		name      string
		waiting   int // before
		overtaken int // how often the first of them was
		a, b      func(*play)
	}{
		{"release and come", 0, 0, (*play).release, (*play).come},
		{"come and release", 0, 0, (*play).come, (*play).release},
		{"release and give up", 2, 0, (*play).release, (*play).giveUp},
		{"give up and release", 2, 0, (*play).giveUp, (*play).release},
		{"hand over and give up", 2, maxOvertaken, (*play).release, (*play).giveUp},
		{"give up and hand over", 2, maxOvertaken, (*play).giveUp, (*play).release},
	} {
		t.Run(c.name, func(t *testing.T) {
			for access := 1; ; access++ {
				l, waiters := fullLimiter(c.waiting)
				if c.waiting > 0 {
					waiters[0].overtaken = c.overtaken
				}
				i := &interrupted{&play{l, waiters, false}, access, c.b, false}
				probe.Set(i)
				c.a(i.play)
				probe.Set(nil)
				if !i.done {
					c.b(i.play)
				}
				if last := i.waiters[len(i.waiters)-1]; !i.inside && len(last.ready) == 0 {
					t.Errorf("the last waiter was forgotten, if the second call is made before access %d of the first", access)
				}
				if i.access > 0 {
					return // the first call has fewer accesses
				}
			}
		})
	}
}
