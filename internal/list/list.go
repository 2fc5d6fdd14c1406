// Package list is a doubly linked list whose links are part of its values. The queues of the
// scheduler and the drivers are lists of this kind.
//
//	type waiter struct {
//		links list.Node[waiter]
//		…
//	}
//
//	q.PushBack(&w.links, w)
//	…
//	if q.Has(&w.links) { // nobody else has removed it
//		q.Remove(&w.links)
//	}
//
// Nothing is allocated, and removing a value from the middle takes constant time: when ten thousand
// contexts end at once, each removes its waiter.
//
// # Concurrency
//
// One goroutine at a time may use a List and its Nodes. The caller holds the lock that guards them.
package list

// List is a list of values that contain a Node. The zero value is empty. A List with values must
// not be copied.
type List[T any] struct {
	front, back *Node[T]
	len         int
}

// Node makes the value that contains it part of one List at a time. The zero value is in no list.
type Node[T any] struct {
	list       *List[T] // nil if it is in no list
	of         *T
	prev, next *Node[T]
}

// Len returns the number of values.
func (l *List[T]) Len() int { return l.len }

// Front returns the first value, or nil.
func (l *List[T]) Front() *T { return l.front.value() }

// Back returns the last value, or nil.
func (l *List[T]) Back() *T { return l.back.value() }

// Next returns the value after n; nil if n is the last one or in no list.
func (n *Node[T]) Next() *T { return n.next.value() }

// Prev returns the value before n; nil if n is the first one or in no list.
func (n *Node[T]) Prev() *T { return n.prev.value() }

func (n *Node[T]) value() *T {
	if n == nil {
		return nil
	}
	return n.of
}

// Has reports whether n is in l.
func (l *List[T]) Has(n *Node[T]) bool { return n.list == l }

// PushBack adds of, whose Node is n, at the end.
func (l *List[T]) PushBack(n *Node[T], of *T) { l.insert(n, of, l.back, nil) }

// PushFront adds of, whose Node is n, at the front.
func (l *List[T]) PushFront(n *Node[T], of *T) { l.insert(n, of, nil, l.front) }

// insert adds n between prev and next, which are nil at the ends.
func (l *List[T]) insert(n *Node[T], of *T, prev, next *Node[T]) {
	if n.list != nil {
		panic("list: a value is pushed that is in a list already")
	}
	n.list, n.of, n.prev, n.next = l, of, prev, next
	if prev == nil {
		l.front = n
	} else {
		prev.next = n
	}
	if next == nil {
		l.back = n
	} else {
		next.prev = n
	}
	l.len++
}

// Remove removes n from l.
func (l *List[T]) Remove(n *Node[T]) {
	if n.list != l {
		panic("list: a value is removed from a list that it is not in")
	}
	if n.prev == nil {
		l.front = n.next
	} else {
		n.prev.next = n.next
	}
	if n.next == nil {
		l.back = n.prev
	} else {
		n.next.prev = n.prev
	}
	n.list, n.of, n.prev, n.next = nil, nil, nil, nil
	l.len--
}
