// Package merge decides which reads of a file are made as one. It makes no
// I/O: who reads tells it what is wanted, and asks it what to read next.
//
//	w := merge.New[string](merge.Limits{Size: 128 << 10, Amplification: 1}, 64)
//	w.Add(merge.Extent{Off: 4096, End: 8192}, "a")
//	w.Add(merge.Extent{Off: 0, End: 4096}, "b")
//	e, of := w.Next(nil) // {0, 8192}, [b a]
//
// A [Window] holds what is wanted and not being read yet. The next request is
// for the oldest extent in it, so that none waits for ever, and for those of
// its neighbours in the file that the limits admit, whenever they came.
package merge

import (
	"slices"
	"sort"
)

// Extent is a part of a file, in bytes: from Off up to End, which is not in it.
type Extent struct{ Off, End int64 }

// Len is the number of bytes in e.
func (e Extent) Len() int64 { return e.End - e.Off }

// Limits bounds what is read as one. An extent that exceeds Size by itself is
// a request of its own.
type Limits struct {
	// Size is the most bytes of a request for more than one extent.
	Size int64
	// Gap is the most bytes between two neighbours, which nobody wants.
	Gap int64
	// Amplification is the most bytes that are read for a byte that is wanted,
	// however often it is.
	Amplification float64
}

// Window is extents that are wanted. It is not safe for concurrent use.
type Window[T any] struct {
	limits Limits
	most   int
	// places are the extents by offset, of equal ones the older first.
	places []place
	// slots hold them. Those in use are a list by age, the others one of free
	// slots.
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
	prev, next int32 // older and newer; none at the ends
}

const none = -1

// New returns a Window that is full with most extents.
func New[T any](l Limits, most int) *Window[T] {
	if most < 1 {
		panic("merge: a window has room for one extent at least")
	}
	return &Window[T]{limits: l, most: most, oldest: none, newest: none, free: none}
}

// Len is the number of extents in the window.
func (w *Window[T]) Len() int { return len(w.places) }

// Full tells whether there are as many as New was told.
func (w *Window[T]) Full() bool { return len(w.places) >= w.most }

// Add puts an extent, which is not empty, into the window, also a full one. Of
// says whom it is for.
func (w *Window[T]) Add(e Extent, of T) {
	i := sort.Search(len(w.places), func(i int) bool { return w.places[i].off > e.Off })
	w.places = slices.Insert(w.places, i, place{e.Off, w.append(e, of)})
}

// Next takes the oldest extent out, and those that are read with it. It returns
// what to read, and appends to of whom that is for, by offset. The window is not
// empty.
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

// find returns the place of a slot.
func (w *Window[T]) find(slot int32) int {
	off := w.slots[slot].Off
	i := sort.Search(len(w.places), func(i int) bool { return w.places[i].off >= off })
	for w.places[i].slot != slot {
		i++
	}
	return i
}

// append makes e the newest extent and returns its slot.
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

// remove frees a slot.
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

// run is extents that are read as one, neighbours by offset.
type run struct {
	Extent
	wanted int64 // how many of its bytes are
}

// take takes in an extent that is before or behind all others of the run, if
// the limits admit it.
func (r *run) take(e Extent, l Limits) bool {
	all := Extent{min(r.Off, e.Off), max(r.End, e.End)}
	gap := max(e.Off-r.End, r.Off-e.End)
	if gap > l.Gap || all.Len() > l.Size {
		return false
	}
	// What e adds. Where it comes before the run and reaches over a gap in it,
	// that is more than is counted, which errs on the safe side.
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
