// Package readahead decides what a stream fetches, and when. It makes no I/O:
// the stream asks it what to fetch next and tells it what has been consumed.
//
// A stream reads a span of a file in fetches of one size, so many of them
// ahead. A new fetch is due the moment one has been consumed, so that as many
// as asked for are in flight or waiting to be consumed at any time, and never
// more:
//
//	w := readahead.New(readahead.Span{End: size}, 512<<10, 5)
//	for r, ok := w.Fetch(); ok; r, ok = w.Fetch() {
//		start(r)
//	}
//	… the oldest has been read …
//	w.Consumed()
//	r, ok := w.Fetch() // one more is due, unless the end is near
package readahead

// Span is a part of a file, in bytes: from Start up to End, which is not in
// it.
type Span struct{ Start, End int64 }

// Len is the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Start }

// Window is the part of a stream's span that is being fetched, or has been
// and is not consumed: a queue of fetches, the oldest of which is consumed
// first. It is not safe for concurrent use.
//
// Each fetch ends at a multiple of the size, so that all but the first begin
// at one too: what a stream that starts anywhere reads is aligned from the
// second fetch on.
type Window struct {
	span  Span
	size  int64
	count int

	first int64 // where the oldest fetch begins
	next  int64 // where the next one does
	open  int   // fetches in the window
}

// New returns the Window of a stream over span that fetches size bytes at a
// time, at most count of them ahead. Both are positive.
func New(span Span, size int64, count int) *Window {
	if size <= 0 || count <= 0 || span.Start < 0 {
		panic("readahead: size and count of a window are positive, its span begins at 0 or later")
	}
	return &Window{span: span, size: size, count: count, first: span.Start, next: span.Start}
}

// Due tells whether Fetch would return something.
func (w *Window) Due() bool { return w.open < w.count && w.next < w.span.End }

// Fetch returns what is to be fetched now, which is then in the window; or
// false, if as much as may be is in it already, or all up to the end.
func (w *Window) Fetch() (Span, bool) {
	if !w.Due() {
		return Span{}, false
	}
	s := w.at(w.next)
	w.next = s.End
	w.open++
	return s, true
}

// at is the fetch that begins at off.
func (w *Window) at(off int64) Span {
	return Span{off, min(off-off%w.size+w.size, w.span.End)}
}

// Oldest returns the fetch to be consumed next, or false if there is none.
func (w *Window) Oldest() (Span, bool) {
	if w.open == 0 {
		return Span{}, false
	}
	return w.at(w.first), true
}

// Consumed takes the oldest fetch out of the window.
func (w *Window) Consumed() {
	s, ok := w.Oldest()
	if !ok {
		panic("readahead: consumed what has not been fetched")
	}
	w.first = s.End
	w.open--
}

// MoveTo moves the stream to off and returns how many of the oldest fetches are
// to be dropped: those before off, if it is in the window, and else all. The
// fetch that off is in stays, whole.
func (w *Window) MoveTo(off int64) (drop int) {
	if off < w.first || off >= w.next {
		drop = w.open
		w.first, w.next, w.open = off, off, 0
		return drop
	}
	for w.at(w.first).End <= off {
		w.Consumed()
		drop++
	}
	return drop
}

// Restart empties the window and makes span the stream's.
func (w *Window) Restart(span Span) {
	w.span, w.first, w.next, w.open = span, span.Start, span.Start, 0
}
