package sched

import (
	"sync"

	"github.com/sluiceio/sluice/internal/fair"
)

// turn is what an operation waits with, and then has until it has ended.
type turn struct {
	fair.Turn
	f  *File      // nil: of a descriptor that nobody else knows of
	at *turnstile // where it waits, or has its turn
	// transfer is whose it is; nil: a goroutine waits for ready, which holds one
	// value when it may begin, or when refused says why not.
	transfer *Transfer
	ready    chan struct{}
	refused  int32
	next     *turn // in a turnList
}

var turns = sync.Pool{New: func() any {
	u := &turn{ready: make(chan struct{}, 1)}
	u.Owner = u
	return u
}}

// barred tells why u may not wait for its turn; 0 if it may. It is asked under
// turnstile.mu: a Close, or who withdraws a Transfer, that was quicker has gone
// through the queue, and who is later will.
func (u *turn) barred() int32 {
	switch t := u.transfer; {
	case u.f != nil && u.f.closing():
		return eclosed
	case t != nil && t.s.helpers.hasWithdrawn(t):
		return ecanceled
	}
	return 0
}

// refuse says that u does not begin, and why. It is in no queue.
func (u *turn) refuse(res int32) {
	if t := u.transfer; t != nil {
		u.free()
		t.res = res
		t.end()
		return
	}
	u.refused = res
	u.ready <- struct{}{}
}

// free gives u back, which has ended or was refused.
func (u *turn) free() {
	u.f, u.at, u.transfer, u.refused, u.Beside = nil, nil, nil, 0, false
	turns.Put(u)
}

// turnList is turns that were granted together.
type turnList struct{ first, last *turn }

func (l *turnList) add(u *turn) {
	if l.last == nil {
		l.first = u
	} else {
		l.last.next = u
	}
	l.last = u
}

// pop takes the first one out; nil if there is none.
func (l *turnList) pop() *turn {
	u := l.first
	if u == nil {
		return nil
	}
	if l.first = u.next; l.first == nil {
		l.last = nil
	}
	u.next = nil
	return u
}

// start begins the Transfers whose turns they are.
func (l *turnList) start() {
	for u := l.pop(); u != nil; u = l.pop() {
		u.transfer.granted()
	}
}
