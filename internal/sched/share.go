package sched

import (
	"math"

	"github.com/sluiceio/sluice/internal/list"
)

// share is a device's own places at a gate. It has them from when somebody finds no
// other place for a call to that device, so that one whose calls have all others,
// and do not end, holds up nobody of another device. They are out of the gate's
// limit, which may be exceeded by them at first, until those who are inside leave.
//
// A share that nobody uses or waits for is given to the next device that needs one, or
// to one that somebody waits for.
// All under gate.mu. A nil share has no places.
type share struct {
	device uint64 // noDevice until there is another
	size   int32
	used   int32
	queue  list.List[waiter] // those of gate.queue whose device it is
}

// sharesMost is the most devices that have places of their own: as many as there
// are rings, unless Options say otherwise.
const sharesMost = 3

// shareSize is how many places a share is. Where threads are all the parallelism
// that there is, one would be few.
func (g *gate) shareSize() int32 { return max(1, g.limit/16) }

// noDevice is the device of all that is on none, or not on one that is known.
const noDevice = math.MaxUint64

// part sees to it that there are shares for n devices, or as many as leave a place
// for all: one from the beginning, and one for each ring.
func (g *gate) part(n int) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for len(g.shares) < n && g.addShare() {
		g.offer(g.shares[len(g.shares)-1])
	}
}

// addShare adds a share, if there may be another. Under mu.
func (g *gate) addShare() bool {
	n, size := int32(len(g.shares))+1, g.shareSize()
	if n > sharesMost || max(2, n)*size >= g.limit { // one alone would be of no use
		return false
	}
	g.shares = append(g.shares, &share{device: noDevice, size: size})
	g.given.Store(n * size)
	return true
}

// shareOf returns a device's share, which it is given now if it has none and there
// is one; nil if not. Under mu.
func (g *gate) shareOf(device uint64) *share {
	var unused *share
	for _, s := range g.shares {
		switch {
		case s.device == device:
			return s
		case s.used == 0 && s.queue.Len() == 0:
			unused = s
		}
	}
	if unused == nil {
		if !g.addShare() {
			return nil
		}
		unused = g.shares[len(g.shares)-1]
	}
	unused.device = device
	return unused
}

// take takes a place, if one is free. Under gate.mu.
func (s *share) take() bool {
	if s == nil || s.used >= s.size {
		return false
	}
	s.used++
	return true
}

// takeShare takes one of the device's own places while fewer than most are taken
// of them and of those for all.
func (g *gate) takeShare(device uint64, most int32) (pass, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.shareOf(device)
	if s == nil || g.used.Load()+s.used >= most {
		return nil, false
	}
	return s, s.take()
}

// leaveShare gives back one of s's places.
func (g *gate) leaveShare(s *share) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.tell(s.queue.Front(), notice{handed: true, pass: s}) {
		return
	}
	s.used--
	g.offer(s)
}

// offer tells the first who waits for s that a place of s's is free, if one is; or, if
// nobody uses it, the first whose device has no share, which it then has. Under mu.
func (g *gate) offer(s *share) {
	if s.used >= s.size || g.tell(s.queue.Front(), notice{pass: s}) || s.used > 0 {
		return
	}
	if w := g.without.Front(); w != nil {
		s.device = w.device
		g.tell(w, notice{pass: s})
	}
}

// inside is how many places are taken.
func (g *gate) inside() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := g.used.Load()
	for _, s := range g.shares {
		n += s.used
	}
	return int(n)
}

// wakeFirstOf tells the first who waits for s that a place of s's is free.
func (g *gate) wakeFirstOf(s *share) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.offer(s)
}
