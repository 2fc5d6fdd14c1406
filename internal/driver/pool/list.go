package pool

import "github.com/sluiceio/sluice/internal/driver"

// list is a first-in first-out list of operations, linked through Op.Next.
type list struct {
	head, tail *driver.Op
	n          int
}

func (l *list) push(op *driver.Op) {
	op.Next = nil
	if l.tail == nil {
		l.head = op
	} else {
		l.tail.Next = op
	}
	l.tail = op
	l.n++
}

// pop takes the first operation; nil if there is none.
func (l *list) pop() *driver.Op {
	op := l.head
	if op == nil {
		return nil
	}
	l.head = op.Next
	if l.head == nil {
		l.tail = nil
	}
	op.Next = nil
	l.n--
	return op
}

// remove takes op out of the list and reports whether it was there. It looks
// only at operations in the list: op itself may long be its caller's again.
func (l *list) remove(op *driver.Op) bool {
	var before *driver.Op
	for o := l.head; o != nil; before, o = o, o.Next {
		if o == op {
			l.unlink(before, op)
			return true
		}
	}
	return false
}

// unlink takes op, which follows before, or is the head where before is nil,
// out of the list.
func (l *list) unlink(before, op *driver.Op) {
	if before == nil {
		l.head = op.Next
	} else {
		before.Next = op.Next
	}
	if l.tail == op {
		l.tail = before
	}
	op.Next = nil
	l.n--
}
