package ioengine

import "github.com/sluiceio/sluice/internal/driver"

// A device may answer reads while its writes hang, as a frozen file system does. So writes leave
// places of the driver to reads. A write that has no place stays in the backlog, and reads pass it.

func isWrite(op *driver.Op) bool { return op.Code == driver.Write }

// placesForWrites returns how many of a driver's places writes may have. Writes leave a sixteenth
// to reads. That is enough to go on, slowly, and is not missed while nothing hangs: no device gains
// much from the last sixteenth of a queue of writes. A driver of one place is not divided.
func placesForWrites(depth int) int { return max(1, depth-max(1, depth/16)) }

// room is how many more operations the driver may be given, and how many of them may be writes.
type room struct{ all, writes int }

func (m *room) has(op *driver.Op) bool { return m.all > 0 && (!isWrite(op) || m.writes > 0) }

func (m *room) take(op *driver.Op) {
	m.all--
	if isWrite(op) {
		m.writes--
	}
}

// room returns the room that there is now. Only a submitter takes room; the leader makes it.
func (e *Engine) room() room {
	return room{e.depth - int(e.inflight.Load()), placesForWrites(e.depth) - int(e.writes.Load())}
}

// backlogFits reports whether a submitter should try the backlog again.
func (e *Engine) backlogFits() bool {
	waiting := e.waiting.Load()
	if waiting == nothingWaits {
		return false
	}
	m := e.room()
	return m.all > 0 && (waiting == anyWait || m.writes > 0)
}
