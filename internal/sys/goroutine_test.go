package sys

import (
	"runtime"
	"sync"
	"testing"
)

// deep calls do at the end of a stack of so many calls.
func deep(n int, do func()) byte {
	var frame [256]byte
	if n == 0 {
		do()
	} else {
		frame[n%256] = deep(n-1, do)
	}
	return frame[0]
}

// TestGoroutine: the number is the goroutine's at any depth of its stack, and
// wherever that is moved to, and differs from those of all others that live.
func TestGoroutine(t *testing.T) {
	if running() == 0 {
		t.Skip("goroutines are told apart by their stacks on " + runtime.GOARCH)
	}
	const n = 1000
	var all sync.WaitGroup
	begun := make(chan uint32, n)
	end := make(chan struct{})
	for range n {
		all.Go(func() {
			before := Goroutine()
			deep(1, func() {}) // most of a small stack
			deep(100, func() {
				runtime.Gosched()
				if got := Goroutine(); got != before {
					t.Errorf("a goroutine is %d at the end of its stack, and was %d", got, before)
				}
			})
			begun <- before
			<-end
		})
	}
	seen := map[uint32]bool{}
	for range n {
		seen[<-begun] = true
	}
	close(end)
	all.Wait()
	if len(seen) < n-1 { // two may have one hash, once in 8,000 runs
		t.Errorf("%d goroutines have %d numbers", n, len(seen))
	}
}
