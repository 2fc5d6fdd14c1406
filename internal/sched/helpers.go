package sched

import (
	"context"
	"sync"
)

// helpers are goroutines that make plain system calls for Transfers, in the
// order in which these come. They exist while there is something to do, at
// most as many as the gate lets through. A helper passes the gate first and
// takes a Transfer then, so that one which waits can still be withdrawn.
type helpers struct {
	s    *Scheduler
	help func() // h.run, made once: go h.run() allocates

	mu          sync.Mutex
	first, last *Transfer // waiting, linked by next
	running     int
	all         sync.WaitGroup
}

func (h *helpers) init(s *Scheduler) {
	h.s = s
	h.help = h.run
}

// add gives t to the helpers, or ends it if it has been withdrawn.
func (h *helpers) add(t *Transfer) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if t.withdrawn {
		t.res = ecanceled
		t.end()
		return
	}
	t.queued = true
	if h.last == nil {
		h.first = t
	} else {
		h.last.next = t
	}
	h.last = t
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
		if t.note(h.s.plain(t.code, t.f, t.rest(), t.at())) {
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
	t := h.first
	if t == nil {
		h.running--
		return nil
	}
	h.remove(nil, t)
	return t
}

// withdraw says that t is to be tried no more, and tells whether it was
// waiting for a helper, and is not any more.
func (h *helpers) withdraw(t *Transfer) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	t.withdrawn = true
	if !t.queued {
		return false
	}
	var before *Transfer
	for q := h.first; q != t; q = q.next {
		before = q
	}
	h.remove(before, t)
	return true
}

// remove takes t, which follows before, out. Under mu.
func (h *helpers) remove(before, t *Transfer) {
	if before == nil {
		h.first = t.next
	} else {
		before.next = t.next
	}
	if h.last == t {
		h.last = before
	}
	t.queued, t.next = false, nil
}

// wait returns when no helper is left. Nothing is added any more.
func (h *helpers) wait() { h.all.Wait() }
