package workers

import (
	"sync"
	"sync/atomic"
	"testing"
)

// TestSpan lets goroutines take numbers, each from its own Span and then from the upper halves of
// other Spans. Every number is taken once.
func TestSpan(t *testing.T) {
	const n, goroutines = 20_000, 8
	var taken [n]atomic.Int32
	var spans [goroutines]Range
	spans[0].Set(0, n)
	var splitting sync.Mutex
	refill := func(s *Range) bool {
		splitting.Lock()
		defer splitting.Unlock()
		for i := range spans {
			if from, to, ok := spans[i].Split(); ok {
				s.Set(from, to)
				return true
			}
		}
		return false
	}
	var all sync.WaitGroup
	for g := range goroutines {
		all.Go(func() {
			for more := true; more; more = refill(&spans[g]) {
				for i, ok := spans[g].Take(); ok; i, ok = spans[g].Take() {
					taken[i].Add(1)
				}
			}
		})
	}
	all.Wait()
	for i := range taken {
		if k := taken[i].Load(); k != 1 {
			t.Fatalf("%d was taken %d times; want once", i, k)
		}
	}
}

// TestSpanSplit takes a Span apart.
func TestSpanSplit(t *testing.T) {
	var s Range
	if _, _, ok := s.Split(); ok || s.Len() != 0 {
		t.Error("an empty Span was split")
	}
	s.Set(10, 15)
	if from, to, ok := s.Split(); from != 12 || to != 15 || !ok || s.Len() != 2 {
		t.Errorf("Split of 10 to 15 = %d, %d, %v, and leaves %d; want 12, 15, true, 2", from, to, ok, s.Len())
	}
	s.Set(7, 8)
	if from, to, ok := s.Split(); from != 7 || to != 8 || !ok || s.Len() != 0 {
		t.Errorf("Split of 7 = %d, %d, %v, and leaves %d; want 7, 8, true, 0", from, to, ok, s.Len())
	}
	if _, ok := s.Take(); ok {
		t.Error("Take of an empty Span = true")
	}
}
