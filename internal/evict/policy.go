package evict

import "sync/atomic"

const (
	maxUses   = 3    // more uses than this are not counted
	promote   = 1    // the uses with which a key moves from the small queue to the main one
	smallPart = 10   // one slot in ten is the small queue's
	maxBusy   = 1024 // slots for which free returns false before Evict gives up
)

// none means that there is no slot.
const none = -1

// Policy is the policy for a fixed number of slots.
type Policy struct {
	slots       []slot
	uses        func(i int32) *Uses
	small, main queue
	smallLimit  int // if the small queue has more slots, Evict begins there
	ghosts      ghosts
}

type slot struct {
	key        uint64
	prev, next int32
	queue      *queue
}

// Uses counts the uses of the key in a slot, up to maxUses. The owner of the slots keeps it next to
// the other data that a hit reads.
type Uses struct{ n atomic.Uint32 }

// Touch counts a use.
func (u *Uses) Touch() {
	if n := u.n.Load(); n < maxUses {
		// Of two uses at the same time one may get lost; the count is an estimate.
		u.n.CompareAndSwap(n, n+1)
	}
}

// New returns a Policy for n slots without keys. uses returns the Uses of a slot, always the same.
func New(n int, uses func(i int32) *Uses) *Policy {
	p := &Policy{slots: make([]slot, n), uses: uses, smallLimit: max(1, n/smallPart), ghosts: newGhosts(n)}
	p.small.clear()
	p.main.clear()
	return p
}

// Len returns the number of slots that hold keys.
func (p *Policy) Len() int { return p.small.len + p.main.len }

// Insert puts key into slot i, which must be free.
func (p *Policy) Insert(i int32, key uint64) {
	p.slots[i].key = key
	p.uses(i).n.Store(0)
	if p.ghosts.take(key) {
		p.push(&p.main, i)
	} else {
		p.push(&p.small, i)
	}
}

// Remove removes the key of slot i, without remembering it as evicted.
func (p *Policy) Remove(i int32) { p.unlink(i) }

// Evict chooses a slot for another key, and removes the slot's key. It calls free for the slots in
// the order of the policy, and takes the first one for which free returns true. If free returns
// false for all slots, or for very many, ok is false.
func (p *Policy) Evict(free func(i int32) bool) (i int32, ok bool) {
	if p.small.len <= p.smallLimit {
		if i, ok = p.evictMain(free); ok {
			return i, true
		}
	}
	if i, ok = p.evictSmall(free); ok {
		return i, true
	}
	return p.evictMain(free) // the small queue's keys may have moved there
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
