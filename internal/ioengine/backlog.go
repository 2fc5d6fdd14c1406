package ioengine

import (
	"slices"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
)

// backlog is a queue, oldest first, of the operations that have left the inbox and that
// the driver does not have. It is guarded by Engine.mu.
type backlog struct{ list.List[driver.Op] }

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
		b.PushBack(&op.Links, op)
		op = next
	}
}

// take moves operations from the front of the backlog to batch, until len(batch) is room.
// It drops those that are abandoned.
func (b *backlog) take(batch []*driver.Op, room int) []*driver.Op {
	for len(batch) < room && b.Len() > 0 {
		op := b.Front()
		b.Remove(&op.Links)
		if requestOf(op).place.CompareAndSwap(inQueue, elsewhere) {
			batch = append(batch, op)
		}
	}
	return batch
}

// prepend puts ops, which take has returned, back in front.
func (b *backlog) prepend(ops []*driver.Op) {
	for _, op := range slices.Backward(ops) {
		requestOf(op).place.Store(inQueue)
		b.PushFront(&op.Links, op)
	}
}

// withdraw takes op out of the backlog and reports whether op was there. The inbox must be
// empty, so that an op in the queue is in the backlog.
func (b *backlog) withdraw(op *driver.Op) bool {
	if !requestOf(op).place.CompareAndSwap(inQueue, elsewhere) {
		return false
	}
	b.Remove(&op.Links)
	return true
}
