// Package usecount counts the operations that use a file's descriptor. Close waits until no
// operation uses it, as internal/poll's fdMutex does: the number of a closed descriptor may be
// another file's at once.
package usecount

import "sync/atomic"

// Count is the number of operations that use a file, and whether the file is closing. All methods
// but Init may be called at the same time.
type Count struct {
	// refs has a bit that stops more operations from starting:
	//
	//	bits 0–60  number of operations in progress, and of Uses that are about to fail
	//	bit 61     closed: Close has found no operation in progress
	//	bit 62     closing
	refs atomic.Int64
	// unused gets a value when the last operation has ended after closing was set. It is nil if
	// Close is never called.
	unused chan struct{}
}

const (
	closed  = 1 << 61
	closing = 1 << 62
)

// Init makes Close possible. It must be called before all other methods.
func (c *Count) Init() { c.unused = make(chan struct{}, 1) }

// Use starts an operation and reports true, unless the file is closing. The caller must end
// the operation with Done.
func (c *Count) Use() bool {
	if c.refs.Add(1)&closing == 0 {
		return true
	}
	c.Done()
	return false
}

// UseMore starts another operation. The caller must have started one that has not ended, and must
// end both with Done.
func (c *Count) UseMore() { c.refs.Add(1) }

// UseAgain is Use for a goroutine that goes on with an operation. It succeeds even while the file
// is closing, as long as Close waits for any operation. The caller must end it with Done.
func (c *Count) UseAgain() bool {
	for {
		n := c.refs.Load()
		if n&closed != 0 { // the number means nothing then: a Use may be about to fail
			return false
		}
		if c.refs.CompareAndSwap(n, n+1) {
			return true
		}
	}
}

// Done ends an operation.
func (c *Count) Done() {
	if c.refs.Add(-1) == closing {
		select {
		case c.unused <- struct{}{}:
		default: // Close has not taken the last value yet
		}
	}
}

// InUse returns the number of operations in progress. It may count a Use that is about to fail.
func (c *Count) InUse() int { return int(c.refs.Load() & (closed - 1)) }

// Closing reports whether Close has been called.
func (c *Count) Closing() bool { return c.refs.Load()&closing != 0 }

// Close stops new operations from starting, then calls begun, then waits for the operations
// in progress. It does nothing and returns false if it was called before.
func (c *Count) Close(begun func()) bool {
	for {
		n := c.refs.Load()
		if n&closing != 0 {
			return false
		}
		if c.refs.CompareAndSwap(n, n|closing) {
			begun()
			c.awaitUnused()
			return true
		}
	}
}

// awaitUnused sets closed when no operation is in progress. The last operation leaves a value in
// unused. Another operation may have begun since (UseAgain), so awaitUnused looks again.
func (c *Count) awaitUnused() {
	for !c.refs.CompareAndSwap(closing, closing|closed) {
		<-c.unused
	}
}
