// Package merge decides which reads of a file are merged into one. It makes no I/O: the caller adds
// the reads that it wants, and asks for the next request.
//
//	w := merge.New[string](merge.Limits{Size: 128 << 10, Amplification: 1}, 64)
//	w.Add(merge.Extent{Off: 4096, End: 8192}, "a")
//	w.Add(merge.Extent{Off: 0, End: 4096}, "b")
//	e, of := w.Next(nil) // {0, 8192}, [b a]
//
// A [Window] holds the extents that are wanted and not yet being read. The next request is for the
// oldest extent, so that none waits forever. It includes the extent's neighbours in the file,
// whenever they were added, if the limits allow that.
package merge

import (
	"slices"
	"sort"
)

// Extent is the part of a file from byte offset Off to End, exclusive.
type Extent struct{ Off, End int64 }

// Len returns the number of bytes in e.
func (e Extent) Len() int64 { return e.End - e.Off }

// Limits bounds the merging. An extent larger than Size is read alone.
type Limits struct {
	// Size is the largest request for several extents, in bytes.
	Size int64
	// Gap is the largest distance between two neighbours, in bytes. The bytes in between are read
	// although no extent has them.
	Gap int64
	// Amplification is the most bytes read for each wanted byte. A byte in several extents counts
	// once.
	Amplification float64
}

// Window is a set of wanted extents. One goroutine at a time may use it.
type Window[T any] struct {
	limits   Limits
	capacity int
	// places has the extents sorted by offset; of equal ones the older comes first.
	places []place
	// slots has the extents. Used slots are a list by age, and free slots another list.
	slots          []slot[T]
	oldest, newest int32
	free           int32
}

type place struct {
	off  int64
	slot int32
}

type slot[T any] struct {
	Extent
	of         T
	prev, next int32 // the older and the newer slot; none at the ends
}

const none = -1

// New returns a Window that is full with most extents.
func New[T any](l Limits, most int) *Window[T] {
	if most < 1 {
		panic("merge: a window needs room for one extent at least")
	}
	return &Window[T]{limits: l, capacity: most, oldest: none, newest: none, free: none}
}

// Len returns the number of extents in the window.
func (w *Window[T]) Len() int { return len(w.places) }

// Full reports whether the window has as many extents as New was given, or more.
func (w *Window[T]) Full() bool { return len(w.places) >= w.capacity }

// Add adds an extent, which must not be empty, even to a full window. Next returns of with it.
func (w *Window[T]) Add(e Extent, of T) {
	i := sort.Search(len(w.places), func(i int) bool { return w.places[i].off > e.Off })
	w.places = slices.Insert(w.places, i, place{e.Off, w.append(e, of)})
}

// Next removes the oldest extent and its merged neighbours. It returns the range to read, and
// appends their of values to of, sorted by offset. The window must not be empty.
func (w *Window[T]) Next(of []T) (Extent, []T) {
	first := w.find(w.oldest)
	last := first
	r := run{w.slots[w.oldest].Extent, w.slots[w.oldest].Len()}
	for {
		if last+1 < len(w.places) && r.take(w.at(last+1), w.limits) {
			last++
		} else if first > 0 && r.take(w.at(first-1), w.limits) {
			first--
		} else {
			break
		}
	}
	for _, p := range w.places[first : last+1] {
		of = append(of, w.slots[p.slot].of)
		w.remove(p.slot)
	}
	w.places = slices.Delete(w.places, first, last+1)
	return r.Extent, of
}

func (w *Window[T]) at(i int) Extent { return w.slots[w.places[i].slot].Extent }

// find returns the index in places of a slot.
func (w *Window[T]) find(slot int32) int {
	off := w.slots[slot].Off
	i := sort.Search(len(w.places), func(i int) bool { return w.places[i].off >= off })
	for w.places[i].slot != slot {
		i++
	}
	return i
}

// append adds e as the newest extent and returns its slot.
func (w *Window[T]) append(e Extent, of T) int32 {
	i := w.free
	if i == none {
		i = int32(len(w.slots))
		w.slots = append(w.slots, slot[T]{})
	} else {
		w.free = w.slots[i].next
	}
	w.slots[i] = slot[T]{e, of, w.newest, none}
	if w.newest == none {
		w.oldest = i
	} else {
		w.slots[w.newest].next = i
	}
	w.newest = i
	return i
}

// remove makes a slot free.
func (w *Window[T]) remove(i int32) {
	s := &w.slots[i]
	if s.prev == none {
		w.oldest = s.next
	} else {
		w.slots[s.prev].next = s.next
	}
	if s.next == none {
		w.newest = s.prev
	} else {
		w.slots[s.next].prev = s.prev
	}
	*s = slot[T]{next: w.free}
	w.free = i
}

// run is a range of extents that are read together.
type run struct {
	Extent
	wanted int64 // number of its bytes that are wanted
}

// take adds an extent before or after all extents of the run, if the limits allow that.
func (r *run) take(e Extent, l Limits) bool {
	all := Extent{min(r.Off, e.Off), max(r.End, e.End)}
	gap := max(e.Off-r.End, r.Off-e.End)
	if gap > l.Gap || all.Len() > l.Size {
		return false
	}
	// n counts the bytes that e adds. If e comes before the run and reaches across a gap in it, n
	// is too small: then too little is merged, never too much.
	n := r.wanted + max(0, e.End-max(e.Off, r.End))
	if e.Off < r.Off {
		n = r.wanted + min(e.End, r.Off) - e.Off
	}
	if float64(all.Len()) > l.Amplification*float64(n) {
		return false
	}
	*r = run{all, n}
	return true
}
