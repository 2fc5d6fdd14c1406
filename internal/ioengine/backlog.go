package ioengine

import (
	"slices"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
)

// backlog is a queue, oldest first, of the operations that have left the inbox and that
// the driver does not have. It is guarded by Engine.mu.
type backlog struct {
	queue list.List[driver.Op]
	// held has writes: take puts them there when writes have no place left. They are older than the
	// writes in queue.
	held list.List[driver.Op]
}

// Values of Engine.waiting.
const (
	nothingWaits = iota
	writesWait   // only held is not empty
	anyWait      // queue is not empty
)

// Len returns the number of operations.
func (b *backlog) Len() int { return b.queue.Len() + b.held.Len() }

// appendReversed appends the operations of a stack, last one first: it is the oldest.
func (b *backlog) appendReversed(stack *driver.Op) {
	var oldest *driver.Op
	for op := stack; op != nil; {
		next := op.Next
		op.Next = oldest
		oldest, op = op, next
	}
	for op := oldest; op != nil; {
		next := op.Next
		op.Next = nil
		b.queue.PushBack(&op.Links, op)
		op = next
	}
}

// take moves operations from the backlog to batch, oldest first, as far as m has room. It drops
// abandoned operations. It passes over writes without room.
func (b *backlog) take(batch []*driver.Op, m room) []*driver.Op {
	for b.held.Len() > 0 && m.has(b.held.Front()) {
		batch = b.move(batch, &b.held, &m)
	}
	for b.queue.Len() > 0 && m.all > 0 {
		op := b.queue.Front()
		if !m.has(op) {
			b.queue.Remove(&op.Links)
			b.held.PushBack(&op.Links, op)
			continue
		}
		batch = b.move(batch, &b.queue, &m)
	}
	return batch
}

// move moves the first operation of from to batch, unless it is abandoned.
func (b *backlog) move(batch []*driver.Op, from *list.List[driver.Op], m *room) []*driver.Op {
	op := from.Front()
	from.Remove(&op.Links)
	if !requestOf(op).where.CompareAndSwap(inQueue, elsewhere) {
		return batch
	}
	m.take(op)
	return append(batch, op)
}

// waiting returns for which operations take has had too little room.
func (b *backlog) waiting() uint32 {
	switch {
	case b.queue.Len() > 0:
		return anyWait
	case b.held.Len() > 0:
		return writesWait
	}
	return nothingWaits
}

// prepend puts ops, which take has returned, back in front.
func (b *backlog) prepend(ops []*driver.Op) {
	for _, op := range slices.Backward(ops) {
		requestOf(op).where.Store(inQueue)
		to := &b.queue
		if isWrite(op) && b.held.Len() > 0 {
			to = &b.held
		}
		to.PushFront(&op.Links, op)
	}
}

// withdraw takes op out of the backlog and reports whether op was there. The inbox must be
// empty, so that an op in the queue is in the backlog.
func (b *backlog) withdraw(op *driver.Op) bool {
	if !requestOf(op).where.CompareAndSwap(inQueue, elsewhere) {
		return false
	}
	from := &b.queue
	if b.held.Has(&op.Links) {
		from = &b.held
	}
	from.Remove(&op.Links)
	return true
}

func isWrite(op *driver.Op) bool { return op.Code == driver.Write }

// placesForWrites returns how many of a driver's places writes may have. They leave a sixteenth to
// reads: a device may answer reads while its writes hang (docs/decisions/0024-rings.md). No device
// gains much from the last sixteenth of a queue of writes. A driver of one place is not divided.
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
