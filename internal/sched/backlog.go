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
		op = next
	}
}

// take moves the first operations to batch, as many as it has room for.
func (b *backlog) take(batch []*driver.Op, room int) []*driver.Op {
	for len(batch) < room && b.Len() > 0 {
		op := b.Front()
		b.Remove(&op.Links)
		batch = append(batch, op)
	}
	return batch
}

// prepend puts ops back in front.
func (b *backlog) prepend(ops []*driver.Op) {
	for _, op := range slices.Backward(ops) {
		b.PushFront(&op.Links, op)
	}
}

// withdraw takes op out, if it is there.
func (b *backlog) withdraw(op *driver.Op) bool {
	if !b.Has(&op.Links) {
		return false
	}
	b.Remove(&op.Links)
	return true
}
