package sys

import (
	"runtime"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// deep calls do at the given depth of the stack.
func deep(n int, do func()) byte {
	var frame [256]byte
	if n == 0 {
		do()
	} else {
		frame[n%256] = deep(n-1, do)
	}
	return frame[0]
}

// TestGoroutine checks that the number stays the same at any depth of the stack, and when the stack
// moves. The numbers of goroutines that live at the same time differ.
func TestGoroutine(t *testing.T) {
	if running() == 0 {
		skip.For(t, skip.Platform, "goroutines are told apart by their stacks on "+runtime.GOARCH)
	}
	const n = 1000
	var all sync.WaitGroup
	begun := make(chan uint32, n)
	end := make(chan struct{})
	for range n {
		all.Go(func() {
			before := Goroutine()
			deep(1, func() {}) // uses most of a small stack
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
	if len(seen) < n-1 { // two may have the same hash, in one of 8,000 runs
		t.Errorf("%d goroutines have %d numbers", n, len(seen))
	}
}
