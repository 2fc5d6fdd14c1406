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
	// held has operations by kind: take puts them there when their kind has no place left. Held
	// operations are older than operations of their kind in queue. Reads are never held.
	held [kinds]list.List[driver.Op]
}

// Len returns the number of operations.
func (b *backlog) Len() int { return b.queue.Len() + b.held[writes].Len() + b.held[syncs].Len() }

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
// abandoned operations. It passes over operations of a kind that has no room.
func (b *backlog) take(batch []*driver.Op, m room) []*driver.Op {
	for k := writes; k < kinds; k++ {
		for b.held[k].Len() > 0 && m.has(k) {
			batch = b.move(batch, &b.held[k], k, &m)
		}
	}
	for b.queue.Len() > 0 && m.all > 0 {
		op := b.queue.Front()
		k := kindOf(op.Code)
		if k != reads && (b.held[k].Len() > 0 || !m.has(k)) {
			b.queue.Remove(&op.Links)
			b.held[k].PushBack(&op.Links, op)
			continue
		}
		batch = b.move(batch, &b.queue, k, &m)
	}
	return batch
}

// move moves the first operation of from, which is of kind k, to batch, unless it is abandoned.
func (b *backlog) move(
	batch []*driver.Op, from *list.List[driver.Op], k kind, m *room,
) []*driver.Op {
	op := from.Front()
	from.Remove(&op.Links)
	if !requestOf(op).place.CompareAndSwap(inQueue, elsewhere) {
		return batch
	}
	m.take(k)
	return append(batch, op)
}

// waiting returns the kinds, as a set of bits, for which take has had too little room. If it has
// had no room at all, reads are among them.
func (b *backlog) waiting() (set uint32) {
	if b.queue.Len() > 0 {
		set |= 1 << reads
	}
	for k := writes; k < kinds; k++ {
		if b.held[k].Len() > 0 {
			set |= 1 << k
		}
	}
	return set
}

// prepend puts ops, which take has returned, back in front.
func (b *backlog) prepend(ops []*driver.Op) {
	for _, op := range slices.Backward(ops) {
		requestOf(op).place.Store(inQueue)
		to := &b.queue
		if k := kindOf(op.Code); b.held[k].Len() > 0 {
			to = &b.held[k]
		}
		to.PushFront(&op.Links, op)
	}
}

// withdraw takes op out of the backlog and reports whether op was there. The inbox must be
// empty, so that an op in the queue is in the backlog.
func (b *backlog) withdraw(op *driver.Op) bool {
	if !requestOf(op).place.CompareAndSwap(inQueue, elsewhere) {
		return false
	}
	from := &b.queue
	if k := kindOf(op.Code); b.held[k].Has(&op.Links) {
		from = &b.held[k]
	}
	from.Remove(&op.Links)
	return true
}
