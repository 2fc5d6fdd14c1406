package sched

import "github.com/sluiceio/sluice/internal/driver"

// list is a queue of requests' operations, linked by Next and, so that one can
// be taken out of the middle without a walk, by request.prev.
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
		requestOf(op).prev = next
		oldest, op = op, next
	}
	requestOf(oldest).prev = l.last
	if l.last == nil {
		l.first = oldest
	} else {
		l.last.Next = oldest
	}
	l.last = newest
}

// dropFirst takes ops, which are the first ones, out.
func (l *list) dropFirst(ops []*driver.Op) {
	for _, op := range ops {
		l.remove(op)
	}
}

// prepend puts ops back in front.
func (l *list) prepend(ops []*driver.Op) {
	for i := len(ops) - 1; i >= 0; i-- {
		l.pushFront(ops[i])
	}
}

func (l *list) pushFront(op *driver.Op) {
	op.Next = l.first
	if l.first == nil {
		l.last = op
	} else {
		requestOf(l.first).prev = op
	}
	l.first = op
}

// remove takes op out, if it is there. It looks at op's neighbours alone:
// when ten thousand contexts end at once, each has an operation to withdraw.
func (l *list) remove(op *driver.Op) bool {
	r := requestOf(op)
	if r.prev == nil && l.first != op {
		return false
	}
	if r.prev == nil {
		l.first = op.Next
	} else {
		r.prev.Next = op.Next
	}
	if op.Next == nil {
		l.last = r.prev
	} else {
		requestOf(op.Next).prev = r.prev
	}
	op.Next, r.prev = nil, nil
	return true
}
