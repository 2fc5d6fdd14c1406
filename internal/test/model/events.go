package model

import "time"

// events has the future events, and the simulated time.
type events struct {
	now  time.Duration
	made uint64
	next heap[event]
}

// event happens at a time. Events at the same time happen in the order in which they were made.
type event struct {
	at    time.Duration
	order uint64
	frees bool // it ends a burst and frees a core
	do    func()
}

func (e event) before(f event) bool { return e.at < f.at || e.at == f.at && e.order < f.order }

// after calls do when d has passed.
func (e *events) after(d time.Duration, do func()) { e.add(d, false, do) }

func (e *events) add(d time.Duration, frees bool, do func()) {
	e.made++
	e.next.push(event{e.now + d, e.made, frees, do})
}

// ordered is the constraint of a heap's elements.
type ordered[T any] interface{ before(T) bool }

var (
	_ ordered[event]    = event{}
	_ ordered[inDevice] = inDevice{}
)

// heap is a binary heap. Its first element is before all others.
type heap[T ordered[T]] []T

func (h *heap[T]) push(t T) {
	a := append(*h, t)
	for i := len(a) - 1; i > 0 && a[i].before(a[(i-1)/2]); i = (i - 1) / 2 {
		a[i], a[(i-1)/2] = a[(i-1)/2], a[i]
	}
	*h = a
}

func (h *heap[T]) pop() T {
	a, last := *h, len(*h)-1
	first, i := a[0], 0
	for child := 1; child < last; child = 2*i + 1 {
		if child+1 < last && a[child+1].before(a[child]) {
			child++
		}
		if !a[child].before(a[last]) {
			break
		}
		a[i], i = a[child], child
	}
	a[i] = a[last]
	var none T
	a[last], *h = none, a[:last]
	return first
}

// queue is first in, first out.
type queue[T any] struct {
	all  []T
	head int
}

func (q *queue[T]) len() int { return len(q.all) - q.head }

func (q *queue[T]) push(t T) { q.all = append(q.all, t) }

func (q *queue[T]) pop() T {
	t := q.all[q.head]
	if q.head++; 2*q.head >= len(q.all) {
		q.all = q.all[:copy(q.all, q.all[q.head:])]
		q.head = 0
	}
	return t
}
