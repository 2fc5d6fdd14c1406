// Package list has the queue that everybody here waits in: a doubly linked list
// whose links are part of what is in it.
//
//	type waiter struct {
//		links list.Node[waiter]
//		…
//	}
//
//	q.PushBack(&w.links, w)
//	…
//	if q.Has(&w.links) { // it has not been served in the meantime
//		q.Remove(&w.links)
//	}
//
// Nothing is allocated, and nothing walks: when ten thousand contexts end at
// once, each has a waiter to withdraw from the middle.
//
// # Concurrency
//
// A List and the Nodes in it are used by one goroutine at a time: who calls a
// method holds the lock that guards them.
package list

// List is a list of values that have a Node in them. Its zero value is empty.
// It is not copied once something is in it.
type List[T any] struct {
	front, back *Node[T]
	len         int
}

// Node is what makes a value part of a List, of one at a time. Its zero value
// is in none, and so it is again after Remove.
type Node[T any] struct {
	list       *List[T] // nil: in none
	of         *T
	prev, next *Node[T]
}

// Len is how many there are.
func (l *List[T]) Len() int { return l.len }

// Front returns the first one, or nil.
func (l *List[T]) Front() *T { return l.front.value() }

// Back returns the last one, or nil.
func (l *List[T]) Back() *T { return l.back.value() }

// Next returns the one behind n, or nil if n is the last one or in no list.
func (n *Node[T]) Next() *T { return n.next.value() }

// Prev returns the one before n, or nil if n is the first one or in no list.
func (n *Node[T]) Prev() *T { return n.prev.value() }

func (n *Node[T]) value() *T {
	if n == nil {
		return nil
	}
	return n.of
}

// Has tells whether n is in l.
func (l *List[T]) Has(n *Node[T]) bool { return n.list == l }

// PushBack makes of, whose Node n is, the last one.
func (l *List[T]) PushBack(n *Node[T], of *T) { l.insert(n, of, l.back, nil) }

// PushFront makes of, whose Node n is, the first one.
func (l *List[T]) PushFront(n *Node[T], of *T) { l.insert(n, of, nil, l.front) }

// insert puts n between two that are neighbours, or nil at an end.
func (l *List[T]) insert(n *Node[T], of *T, prev, next *Node[T]) {
	if n.list != nil {
		panic("list: what is pushed is in a list already")
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

// Remove takes n out of l.
func (l *List[T]) Remove(n *Node[T]) {
	if n.list != l {
		panic("list: what is removed is not in this list")
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
