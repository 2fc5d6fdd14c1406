// Package readahead decides what a stream reads ahead, and when. It makes no I/O: the stream asks
// for the next fetch and reports consumed ones.
//
// A stream reads a span of a file in fetches of one size, a fixed number of them ahead. A new fetch
// is due when one was consumed. So the window always has that number of fetches, in flight or
// waiting to be consumed, and never more:
//
//	w := readahead.New(readahead.Span{End: size}, 512<<10, 5)
//	for r, ok := w.Fetch(); ok; r, ok = w.Fetch() {
//		start(r)
//	}
//	… the oldest fetch has been read by the user …
//	w.Consumed()
//	r, ok := w.Fetch() // one more is due, unless the end is near
package readahead

// Span is the part of a file from byte offset Start to End, exclusive.
type Span struct{ Start, End int64 }

// Len returns the number of bytes in s.
func (s Span) Len() int64 { return s.End - s.Start }

// Window is the part of a stream's span that is being fetched, or was fetched and not yet consumed.
// It is a queue of fetches; the oldest is consumed first. One goroutine at a time may use it.
//
// Each fetch ends at a multiple of the size, so all but the first begin at one, too. A stream that
// starts anywhere is aligned from its second fetch on.
type Window struct {
	span  Span
	size  int64
	count int

	first int64 // where the oldest fetch begins
	next  int64 // where the next fetch begins
	open  int   // number of fetches in the window
}

// New returns the Window of a stream over span that fetches size bytes at a time, up to count times
// ahead. Both must be positive.
func New(span Span, size int64, count int) *Window {
	if size <= 0 || count <= 0 || span.Start < 0 {
		panic("readahead: size and count must be positive, and the span must not begin before 0")
	}
	return &Window{span: span, size: size, count: count, first: span.Start, next: span.Start}
}

// Due reports whether Fetch would return a Span.
func (w *Window) Due() bool { return w.open < w.count && w.next < w.span.End }

// Fetch returns the next fetch, and adds it to the window. It returns false if the window has count
// fetches, or reaches to the end of the span.
func (w *Window) Fetch() (Span, bool) {
	if !w.Due() {
		return Span{}, false
	}
	s := w.at(w.next)
	w.next = s.End
	w.open++
	return s, true
}

// at returns the fetch that begins at off.
func (w *Window) at(off int64) Span {
	// Compare lengths, not ends: the sum of off and the first may exceed the largest offset.
	return Span{off, off + min(w.size-off%w.size, w.span.End-off)}
}

// Oldest returns the fetch to be consumed next, or false if there is none.
func (w *Window) Oldest() (Span, bool) {
	if w.open == 0 {
		return Span{}, false
	}
	return w.at(w.first), true
}

// Consumed removes the oldest fetch from the window.
func (w *Window) Consumed() {
	s, ok := w.Oldest()
	if !ok {
		panic("readahead: Consumed without a fetch in the window")
	}
	w.first = s.End
	w.open--
}

// Near reports whether off is in the window, or at most the length of a full window after it.
func (w *Window) Near(off int64) bool {
	return off >= w.first && off-w.next < w.size*int64(w.count)
}

// MoveTo moves the stream to off, and removes the fetches before off from the window, or all if off
// is outside of it. It returns how many of the oldest fetches it has removed. The fetch that
// contains off stays as it is.
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

// Restart empties the window and replaces the span.
func (w *Window) Restart(span Span) {
	w.span, w.first, w.next, w.open = span, span.Start, span.Start, 0
}
