package evict

import "sync/atomic"

const (
	maxUses   = 3    // uses beyond this many are not counted
	promote   = 1    // uses that take a key from the small queue to the main one
	smallPart = 10   // the small queue is at least this part of all: a tenth
	maxBusy   = 1024 // slots that refuse to be freed before Evict gives up
)

// none is no slot.
const none = -1

// Policy decides for a fixed number of slots.
type Policy struct {
	slots       []slot
	uses        func(i int32) *Uses
	small, main queue
	smallMost   int // above it, the small queue gives way
	ghosts      ghosts
}

type slot struct {
	key        uint64
	prev, next int32
	queue      *queue
}

// Uses counts how often what a slot holds was used since it came, up to
// maxUses. It lies where the owner of the slots has it, next to what a hit
// looks at anyway.
type Uses struct{ n atomic.Uint32 }

// Touch notes a use.
func (u *Uses) Touch() {
	if n := u.n.Load(); n < maxUses {
		// One of two that are here at once may get lost; it is an estimate.
		u.n.CompareAndSwap(n, n+1)
	}
}

// New returns a Policy for n slots, none of which holds a key. It finds the
// Uses of each, always the same, by uses.
func New(n int, uses func(i int32) *Uses) *Policy {
	p := &Policy{slots: make([]slot, n), uses: uses, smallMost: max(1, n/smallPart), ghosts: newGhosts(n)}
	p.small.clear()
	p.main.clear()
	return p
}

// Len is how many slots hold keys.
func (p *Policy) Len() int { return p.small.len + p.main.len }

// Insert makes slot i, which holds no key, hold key.
func (p *Policy) Insert(i int32, key uint64) {
	p.slots[i].key = key
	p.uses(i).n.Store(0)
	if p.ghosts.take(key) {
		p.push(&p.main, i)
	} else {
		p.push(&p.small, i)
	}
}

// Remove makes slot i hold no key: what it held is no longer wanted.
func (p *Policy) Remove(i int32) { p.unlink(i) }

// Evict chooses a slot that is to hold another key. It asks free for each one
// that it would take; the first for which free returns true holds no key from
// then on, and is returned. It returns false if free refuses all, or very
// many.
func (p *Policy) Evict(free func(i int32) bool) (i int32, ok bool) {
	if p.small.len <= p.smallMost {
		if i, ok = p.evictMain(free); ok {
			return i, true
		}
	}
	if i, ok = p.evictSmall(free); ok {
		return i, true
	}
	return p.evictMain(free) // which may have got all of the small queue's
}

func (p *Policy) evictSmall(free func(i int32) bool) (int32, bool) {
	busy := 0
	for n := p.small.len; n > 0 && busy < maxBusy; n-- {
		i := p.small.last
		switch uses := &p.uses(i).n; {
		case uses.Load() >= promote:
			p.unlink(i)
			uses.Store(0)
			p.push(&p.main, i)
		case free(i):
			p.unlink(i)
			p.ghosts.add(p.slots[i].key)
			return i, true
		default:
			busy++
			p.unlink(i)
			p.push(&p.small, i)
		}
	}
	return none, false
}

func (p *Policy) evictMain(free func(i int32) bool) (int32, bool) {
	busy := 0
	for n := p.main.len * (maxUses + 1); n > 0 && busy < maxBusy; n-- {
		i := p.main.last
		p.unlink(i)
		uses := &p.uses(i).n
		if u := uses.Load(); u > 0 {
			uses.Store(u - 1)
		} else if free(i) {
			return i, true
		} else {
			busy++
		}
		p.push(&p.main, i)
	}
	return none, false
}
