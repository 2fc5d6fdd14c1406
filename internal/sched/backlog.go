package sched

import (
	"slices"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
)

// backlog is operations that have arrived and that the driver does not have,
// the oldest first.
type backlog struct{ list.List[driver.Op] }

// appendReversed appends a stack, its oldest (last) operation first.
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
		requestOf(op).inBacklog = true
		op = next
	}
}

// take moves the first operations to batch, as many as it has room for.
func (b *backlog) take(batch []*driver.Op, room int) []*driver.Op {
	for len(batch) < room && b.Len() > 0 {
		op := b.Front()
		b.remove(op)
		batch = append(batch, op)
	}
	return batch
}

// prepend puts ops back in front.
func (b *backlog) prepend(ops []*driver.Op) {
	for _, op := range slices.Backward(ops) {
		b.PushFront(&op.Links, op)
		requestOf(op).inBacklog = true
	}
}

// remove takes op out.
func (b *backlog) remove(op *driver.Op) {
	b.Remove(&op.Links)
	requestOf(op).inBacklog = false
}

// withdraw takes op out, if it is there. It does not ask the Links, which are
// the driver's as soon as that has op.
func (b *backlog) withdraw(op *driver.Op) bool {
	if !requestOf(op).inBacklog {
		return false
	}
	b.remove(op)
	return true
}
