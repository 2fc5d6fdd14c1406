package sched

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/list"
)

// helpers are goroutines that make plain system calls for Transfers: those of each
// device by themselves.
type helpers struct {
	s *Scheduler

	mu    sync.Mutex
	crews map[uint64]*helperCrew // by device. Under mu
	all   sync.WaitGroup
}

// helperCrew is the helpers for Transfers of one device, which they make in the
// order in which these come. They exist while there is something to do, at most as
// many as the gate lets through. A helper passes the gate first and takes a Transfer
// then, so that one which waits can still be withdrawn.
type helperCrew struct {
	h      *helpers
	device uint64
	help   func() // c.run, made once: go c.run() allocates

	queue   list.List[Transfer] // those that wait. Under helpers.mu, as is running
	running int
}

func (h *helpers) init(s *Scheduler) {
	h.s = s
	h.crews = make(map[uint64]*helperCrew)
}

// crewOf returns the crew of a device. Under mu.
func (h *helpers) crewOf(device uint64) *helperCrew {
	c := h.crews[device]
	if c == nil {
		c = &helperCrew{h: h, device: device}
		c.help = c.run
		h.crews[device] = c
	}
	return c
}

// add gives t to the helpers, or ends it if it has been withdrawn.
func (h *helpers) add(t *Transfer) {
	device := h.s.deviceOf(t.f)
	h.mu.Lock()
	if t.withdrawn {
		h.mu.Unlock()
		t.res = ecanceled
		t.end()
		return
	}
	defer h.mu.Unlock()
	c := h.crewOf(device)
	c.queue.PushBack(&t.links, t)
	t.crew = c
	if c.running < int(h.s.gate.limit) {
		c.running++
		h.all.Add(1)
		go c.help()
	}
}

// run is a helper.
func (c *helperCrew) run() {
	s := c.h.s
	defer c.h.all.Done()
	for {
		p, _ := s.gate.enter(context.Background(), c.device) // fails only with its context
		t := c.next()
		if t == nil {
			s.gate.leave(p)
			return
		}
		if t.note(s.plainOn(t.asked, p, t.f.fd, t.code, t.f, t.rest(), t.at())) {
			t.end()
		} else {
			t.goOn()
		}
	}
}

// next takes the first Transfer; nil if there is none, which ends the helper.
func (c *helperCrew) next() *Transfer {
	c.h.mu.Lock()
	defer c.h.mu.Unlock()
	t := c.queue.Front()
	if t == nil {
		c.running--
		return nil
	}
	c.remove(t)
	return t
}

// remove takes t out of the queue. Under helpers.mu.
func (c *helperCrew) remove(t *Transfer) {
	c.queue.Remove(&t.links)
	t.crew = nil
}

// withdraw says that t is to be tried no more, and tells whether it was
// waiting for a helper, and is not any more; and whether the engine has had it.
func (h *helpers) withdraw(t *Transfer) (waiting, pushed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.withdrawn = true
	if t.crew == nil {
		return false, t.pushed
	}
	t.crew.remove(t)
	return true, false
}

// pass puts t, which has been granted its turn, into the engine's inbox, unless
// it has been withdrawn. Under mu, as the owner may be withdrawing it, and the
// operation stays as it is from then on. Who calls it calls engine.arrive.
func (h *helpers) pass(t *Transfer) (atOnce, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.withdrawn {
		return false, false
	}
	t.pushed = true
	op := t.fillOp()
	atOnce = prompt(op)
	h.s.engineOf(t.f).put(op)
	return atOnce, true
}

// hasWithdrawn tells whether t is to be tried no more.
func (h *helpers) hasWithdrawn(t *Transfer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return t.withdrawn
}

// wait returns when no helper is left. Nothing is added any more.
func (h *helpers) wait() { h.all.Wait() }
