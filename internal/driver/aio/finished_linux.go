//go:build amd64 || arm64

package aio

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// finished holds operations that ended without the kernel and the pool: Nops, and
// operations that were refused. Submitting goroutines put, the goroutine in Reap
// takes.
type finished struct {
	stack atomic.Pointer[driver.Op] // linked by Next
	taken *driver.Op                // off the stack, not yet returned. Used by Reap alone
}

// put sets op's result and adds op.
func (e *finished) put(op *driver.Op, res int32) {
	op.Res = res
	for {
		op.Next = e.stack.Load()
		if e.stack.CompareAndSwap(op.Next, op) {
			return
		}
	}
}

// any reports whether an operation is on the stack.
func (e *finished) any() bool { return e.stack.Load() != nil }

// take moves operations to done, and returns their number.
func (e *finished) take(done []*driver.Op) int {
	n := 0
	for n < len(done) {
		if e.taken == nil {
			if e.stack.Load() == nil {
				break
			}
			e.taken = e.stack.Swap(nil)
		}
		op := e.taken
		e.taken, op.Next = op.Next, nil
		done[n] = op
		n++
	}
	return n
}
