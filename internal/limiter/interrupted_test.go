//go:build sluice_probes

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
	l      *Limiter
	access int
	other  func()
	done   bool
}

func (i *interrupted) Step() {
	if i.access--; i.access == 0 && i.l.mu.Free() {
		probe.Set(nil)
		i.other()
		i.done = true
		probe.Set(i)
	}
}

func (i *interrupted) Wait(func() bool) { i.Step() }
func (i *interrupted) Saw(any)          {}

// interrupt calls a, and b before a's access of this number, or after a. It returns false if a has fewer accesses.
func (l *Limiter) interrupt(a func(), access int, b func()) bool {
	i := &interrupted{l, access, b, false}
	probe.Set(i)
	a()
	probe.Set(nil)
	if !i.done {
		b()
	}
	return i.access <= 0
}

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
			for access, more := 1, true; more; access++ {
				l, waiters := fullLimiter(c.waiting)
				if c.waiting > 0 {
					waiters[0].overtaken = c.overtaken
				}
				p := &play{l, waiters, false}
				more = l.interrupt(func() { c.a(p) }, access, func() { c.b(p) })
				if last := p.waiters[len(p.waiters)-1]; !p.inside && len(last.ready) == 0 {
					t.Errorf("the last waiter was forgotten, if the second call is made before access %d of the first", access)
				}
			}
		})
	}
}

// quotaPlay is a limiter with one shared permit, which is taken, and two quotas. One quota is in use. The other has been
// offered to the first waiter, which has not run yet. The second waiter has no quota.
type quotaPlay struct {
	l       *Limiter
	waiters []*waiter // each for a device of its own
	permit  Permit    // taken, to be released next
}

func newQuotaPlay(t *testing.T) *quotaPlay {
	p := &quotaPlay{l: &Limiter{base: 3}, waiters: []*waiter{newWaiterFor(3), newWaiterFor(4)}}
	p.l.AddQuotas(2)
	p.l.TryAcquire()
	q, _ := p.l.enqueue(newWaiterFor(1))
	p.l.enqueue(newWaiterFor(2))
	for _, w := range p.waiters {
		p.l.enqueue(w)
	}
	p.l.Release(Permit{quota: q})
	if len(p.waiters[0].ready) != 1 || p.l.unassigned.Front() != p.waiters[1] || p.l.SharedInUse() != p.l.SharedLimit() {
		t.Fatal("one waiter should be woken, the other have no quota, and the shared permit be taken")
	}
	return p
}

func (p *quotaPlay) release() { p.l.Release(p.permit) }

// come is Acquire for another device, which has found no shared permit.
func (p *quotaPlay) come() {
	w := newWaiterFor(5)
	p.waiters = append(p.waiters, w)
	p.permit.quota, _ = p.l.enqueue(w)
}

// run has a waiter that has been woken go on.
func (p *quotaPlay) run(w *waiter) {
	if c := <-w.ready; !c.handed && !p.l.reacquire(w, c.quota) {
		w.overtaken++
		p.l.enqueue(w)
	}
}

// settle has all waiters that have been woken go on, until there are none.
func (p *quotaPlay) settle() {
	for i := 0; i < len(p.waiters); i++ {
		if w := p.waiters[i]; len(w.ready) > 0 {
			p.run(w)
			i = -1
		}
	}
}

// No goroutine waits without a quota while one is unused. While the quota is offered to a waiter, the goroutine of another
// device finds a shared permit, or too many permits taken. Then the waiter finds a shared permit, too.
func TestUnusedQuotaIsOffered(t *testing.T) {
	for name, first := range map[string]func(p *quotaPlay, access int) (more bool){
		"come": func(p *quotaPlay, access int) bool { return p.l.interrupt(p.release, access, p.come) },
		"try": func(p *quotaPlay, _ int) bool {
			if _, ok := p.l.TryAcquireOfQuota(5, 1); ok {
				t.Error("TryAcquireOfQuota has taken a permit more than it may")
			}
			return false
		},
	} {
		t.Run(name, func(t *testing.T) {
			for a, moreA := 1, true; moreA; a++ {
				for b, moreB := 1, true; moreB; b++ {
					p := newQuotaPlay(t)
					moreA = first(p, a)
					moreB = p.l.interrupt(p.release, b, func() { p.run(p.waiters[0]) })
					p.settle()
					if p.l.queue.Len() > 0 && p.l.SharedInUse() < p.l.SharedLimit() {
						t.Errorf("a goroutine waits and a shared permit is free, if the calls are made before accesses %d and %d", a, b)
					}
					for _, q := range p.l.quotas {
						if p.l.unassigned.Len() > 0 && q.used == 0 && q.queue.Len() == 0 {
							t.Errorf("a goroutine waits and a quota is unused, if the calls are made before accesses %d and %d", a, b)
						}
					}
				}
			}
		})
	}
}
