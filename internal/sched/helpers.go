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
	if h.running < int(h.s.gate.limit) {
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
			h.add(t)
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
// waiting for a helper, and is not any more.
func (h *helpers) withdraw(t *Transfer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.withdrawn = true
	if !h.queue.Has(&t.links) {
		return false
	}
	h.queue.Remove(&t.links)
	return true
}

// wait returns when no helper is left. Nothing is added any more.
func (h *helpers) wait() { h.all.Wait() }
