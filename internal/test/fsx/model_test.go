package fsx

import (
	"math"
	"slices"
	"sync"
)

// model is the required content of the file.
type model struct {
	mu    sync.Mutex
	freed sync.Cond // wakes when a span leaves the queue; its lock is mu
	queue []*span   // the locked and waiting spans, oldest first
	size  int64     // guarded by mu; the holder of a span to infinity writes it
	data  []byte    // room for the longest file; a span's holder uses its part without mu
}

const infinity = math.MaxInt64

// span is a locked range of bytes, or one that waits for its lock. Several readers may lock the
// same bytes.
type span struct {
	from, to int64
	write    bool
	locked   bool
	bounds   func(size int64) (from, to int64)
}

func newModel(most int) *model {
	m := &model{data: make([]byte, most)}
	m.freed.L = &m.mu
	return m
}

// lock locks the range that bounds returns for the current size. It returns the span and that size.
// bounds is called again whenever the size changes during the wait. A span waits for locked spans
// and for older waiting ones, so every wait ends.
func (m *model) lock(write bool, bounds func(size int64) (from, to int64)) (*span, int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	s := &span{write: write, bounds: bounds}
	s.from, s.to = bounds(m.size)
	m.queue = append(m.queue, s)
	for m.blocked(s) {
		m.freed.Wait()
	}
	s.locked = true
	return s, m.size
}

// blocked reports whether s has to wait. It must be called with mu held.
func (m *model) blocked(s *span) bool {
	older := true
	for _, o := range m.queue {
		if o == s {
			older = false
			continue
		}
		if (older || o.locked) && (o.write || s.write) && o.from < s.to && s.from < o.to {
			return true
		}
	}
	return false
}

// unlock ends a span. A size that is not negative becomes the file's size.
func (m *model) unlock(s *span, size int64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.queue = slices.DeleteFunc(m.queue, func(o *span) bool { return o == s })
	if size >= 0 {
		if s.to != infinity || !s.write {
			panic("the size is changed by a span that has not locked it")
		}
		m.size = size
		for _, o := range m.queue {
			if !o.locked {
				o.from, o.to = o.bounds(size)
			}
		}
	}
	m.freed.Broadcast()
}

// reading returns the bounds of a read. Bytes beyond the end lock the size, too: an operation that
// makes the file longer locks everything from the end on.
func reading(off, n int64) func(int64) (int64, int64) {
	return func(int64) (int64, int64) { return off, off + max(n, 1) }
}

// writing returns the bounds of a write, inside the file or beyond its end.
func writing(off, n int64) func(int64) (int64, int64) {
	return func(size int64) (int64, int64) {
		if n > 0 && off+n > size {
			return min(off, size), infinity
		}
		return off, off + max(n, 1)
	}
}

// resizing returns the bounds of a Truncate.
func resizing(to int64) func(int64) (int64, int64) {
	return func(size int64) (int64, int64) { return min(to, size), infinity }
}

// appending returns the bounds of a write at the end.
func appending(size int64) (int64, int64) { return size, infinity }

// all returns the bounds of the whole file.
func all(int64) (int64, int64) { return 0, infinity }
