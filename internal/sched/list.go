package sched

import "github.com/sluiceio/sluice/internal/driver"

// list is a queue of operations, linked by Next.
type list struct {
	first, last *driver.Op
}

// appendReversed appends a stack, its oldest (last) operation first.
func (l *list) appendReversed(stack *driver.Op) {
	if stack == nil {
		return
	}
	newest := stack
	var oldest *driver.Op
	for op := stack; op != nil; {
		next := op.Next
		op.Next = oldest
		oldest, op = op, next
	}
	if l.last == nil {
		l.first = oldest
	} else {
		l.last.Next = oldest
	}
	l.last = newest
}

// dropFirst takes ops, which are the first ones, out.
func (l *list) dropFirst(ops []*driver.Op) {
	l.first = ops[len(ops)-1].Next
	if l.first == nil {
		l.last = nil
	}
}

// prepend puts ops back in front.
func (l *list) prepend(ops []*driver.Op) {
	for i := len(ops) - 1; i >= 0; i-- {
		ops[i].Next = l.first
		if l.first == nil {
			l.last = ops[i]
		}
		l.first = ops[i]
	}
}

// remove takes op out, if it is there.
func (l *list) remove(op *driver.Op) bool {
	var before *driver.Op
	for q := l.first; q != nil; before, q = q, q.Next {
		if q != op {
			continue
		}
		if before == nil {
			l.first = op.Next
		} else {
			before.Next = op.Next
		}
		if l.last == op {
			l.last = before
		}
		return true
	}
	return false
}
