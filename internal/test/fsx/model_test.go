package fsx

import (
	"math"
	"slices"
	"sync"
)

// model is what the file must contain.
type model struct {
	mu    sync.Mutex
	freed sync.Cond // a span has left the queue; its lock is mu
	queue []*span   // the spans that are locked or waited for, oldest first
	size  int64     // written with mu held, by the holder of a span that ends at infinity
	data  []byte    // as long as a file can become; the holder of a span uses its part without mu
}

const infinity = math.MaxInt64

// span is a range of bytes that is locked or waited for. Several readers may lock the same bytes.
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

// lock locks what bounds returns for the present size, and returns that size with it. bounds is called
// again whenever the size changes while the caller waits. A span waits for those that are locked, and for
// those that have waited longer: so every wait ends.
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

// unlock ends a span. If size is not negative, it is the file's new one.
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

// reading returns the bounds of a read. Its bytes beyond the end lock the size, too: what makes the
// file longer locks all from the end on.
func reading(off, n int64) func(int64) (int64, int64) {
	return func(int64) (int64, int64) { return off, off + max(n, 1) }
}

// writing returns the bounds of a write, which makes the file longer or not.
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
