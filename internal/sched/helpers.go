package sched

import (
	"context"
	"sync"

	"github.com/sluiceio/sluice/internal/list"
)

// helpers are goroutines that make plain system calls for Transfers, in the
// order in which these come. They exist while there is something to do, at
// most as many as the gate lets through. A helper passes the gate first and
// takes a Transfer then, so that one which waits can still be withdrawn.
type helpers struct {
	s    *Scheduler
	help func() // h.run, made once: go h.run() allocates

	mu      sync.Mutex
	queue   list.List[Transfer] // those that wait
	running int
	all     sync.WaitGroup
}

func (h *helpers) init(s *Scheduler) {
	h.s = s
	h.help = h.run
}

// add gives t to the helpers, or ends it if it has been withdrawn.
func (h *helpers) add(t *Transfer) {
	h.mu.Lock()
	if t.withdrawn {
		h.mu.Unlock()
		t.res = ecanceled
		t.end()
		return
	}
	defer h.mu.Unlock()
	h.queue.PushBack(&t.links, t)
	if h.running < int(h.s.gate.most()) {
		h.running++
		h.all.Add(1)
		go h.help()
	}
}

// run is a helper.
func (h *helpers) run() {
	defer h.all.Done()
	for {
		_ = h.s.gate.enter(context.Background()) // fails only with its context
		t := h.next()
		if t == nil {
			h.s.gate.leave()
			return
		}
		if t.note(h.s.plainOn(t.asked, t.f.fd, t.code, t.f, t.rest(), t.at())) {
			t.end()
		} else {
			t.goOn()
		}
	}
}

// next takes the first Transfer; nil if there is none, which ends the helper.
func (h *helpers) next() *Transfer {
	h.mu.Lock()
	defer h.mu.Unlock()
	t := h.queue.Front()
	if t == nil {
		h.running--
		return nil
	}
	h.queue.Remove(&t.links)
	return t
}

// withdraw says that t is to be tried no more, and tells whether it was
// waiting for a helper, and is not any more; and whether the engine has had it.
func (h *helpers) withdraw(t *Transfer) (waiting, pushed bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.withdrawn = true
	if !h.queue.Has(&t.links) {
		return false, t.pushed
	}
	h.queue.Remove(&t.links)
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
