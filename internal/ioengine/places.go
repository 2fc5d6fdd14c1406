package ioengine

import "github.com/sluiceio/sluice/internal/driver"

// kind is a kind of operation. A device may answer one kind while another hangs: a frozen file
// system answers reads, but no writes.
type kind uint8

const (
	reads kind = iota // and Nops
	writes
	syncs
	kinds // the number of kinds
)

// kindOf returns the kind of an operation's code.
func kindOf(c driver.Code) kind {
	switch c {
	case driver.Write:
		return writes
	case driver.Fsync, driver.Fdatasync:
		return syncs
	}
	return reads
}

// places is how many operations the driver may have at a time: all, writes and syncs together, and
// each of these two kinds.
type places struct{ all, changes, each int }

// divided returns the places of a driver in which writes that hang leave places to syncs, syncs
// leave places to writes, and both leave places to reads. A sixteenth is enough to go on, slowly,
// and is not missed while nothing hangs: no device gains much from the last sixteenth of a queue of
// writes. A driver of one place is not divided; one of two leaves a place to reads.
func divided(depth int) places {
	kept := max(1, depth/16)
	return places{depth, max(1, depth-kept), max(1, depth-2*kept)}
}

// room is how many more operations the driver may be given.
type room struct {
	all, changes int
	each         [kinds]int // of writes and of syncs; not used for reads
}

// roomFor returns a room for n operations of any kind.
func roomFor(n int) room { return room{n, n, [kinds]int{writes: n, syncs: n}} }

// has reports whether there is room for an operation of kind k.
func (m *room) has(k kind) bool {
	return m.all > 0 && (k == reads || m.changes > 0 && m.each[k] > 0)
}

// take takes the room of an operation of kind k.
func (m *room) take(k kind) {
	m.all--
	if k != reads {
		m.changes--
		m.each[k]--
	}
}

// room returns the room that there is now. Only a submitter takes room; the leader makes it.
func (e *Engine) room() room {
	most, w, s := e.most, int(e.writes.Load()), int(e.syncs.Load())
	return room{
		all: most.all - int(e.inflight.Load()), changes: most.changes - w - s,
		each: [kinds]int{writes: most.each - w, syncs: most.each - s},
	}
}

// backlogFits reports whether a submitter should try the backlog again.
func (e *Engine) backlogFits() bool {
	waiting := e.waiting.Load()
	if waiting == 0 {
		return false
	}
	m := e.room()
	for k := range kinds {
		if waiting&(1<<k) != 0 && m.has(k) {
			return true
		}
	}
	return false
}
