// Package rangelock locks ranges of a file against each other.
//
//	r, err := l.Acquire(ctx, off, off+n)
//	if err != nil {
//		return err // ctx has ended
//	}
//	defer l.Release(r)
//
// Acquire waits for all overlapping ranges of earlier calls, whether they are locked or still
// waiting, and for no other. So a lock on the whole file waits for all operations in progress, and
// later operations wait for it: no caller waits forever.
//
// # Concurrency
//
// The methods of Lock may be called by any number of goroutines at once. A Range belongs to the
// goroutine that has acquired it, until Release.
package rangelock

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
)

// End is the end of a range without an end.
const End = math.MaxInt64

// Lock is a lock on ranges. The zero value has none locked.
type Lock struct {
	mu     sync.Mutex
	ranges tree // the locked and the waiting ranges
	serial uint64
}

// Range is a range that is locked or waiting.
type Range struct {
	lo, hi int64  // from lo to hi, exclusive
	serial uint64 // the order of the Acquires

	// blockers is the number of earlier ranges in the tree that overlap this one. At 0 the range is
	// locked. Guarded by Lock.mu.
	blockers int
	// ready receives a value when blockers has become 0. It is nil unless the range had to wait. An
	// unused Range does not keep it: a channel from a bubble of testing/synctest works only in that
	// bubble.
	ready chan struct{}

	// The range as a node of the tree. Guarded by Lock.mu.
	left, right *Range
	priority    uint32
	maxEnd      int64 // the greatest hi in the subtree
}

// ranges holds unused Ranges of all Locks, so that locking allocates nothing unless it waits.
var ranges = sync.Pool{New: func() any { return new(Range) }}

// Acquire locks the bytes from lo to hi, exclusive. If ctx ends while it waits, it returns ctx's
// error.
func (l *Lock) Acquire(ctx context.Context, lo, hi int64) (*Range, error) {
	if lo >= hi {
		panic("rangelock: Acquire of an empty range")
	}
	r := ranges.Get().(*Range)
	r.lo, r.hi, r.priority = lo, hi, rand.Uint32()
	l.mu.Lock()
	l.serial++
	r.serial = l.serial
	r.blockers = l.ranges.overlapping(lo, hi)
	held := r.blockers == 0
	if !held {
		r.ready = make(chan struct{}, 1)
	}
	l.ranges.insert(r)
	l.mu.Unlock()
	if held {
		return r, nil
	}
	select {
	case <-r.ready:
		return r, nil
	case <-ctx.Done():
		l.Release(r)
		return nil, ctx.Err()
	}
}

// Release unlocks r, which must not be used after that.
func (l *Lock) Release(r *Range) {
	l.mu.Lock()
	l.ranges.remove(r)
	l.ranges.unblock(r)
	l.mu.Unlock()
	select {
	case <-r.ready: // it was sent when the context had just ended
	default:
	}
	r.ready = nil
	ranges.Put(r)
}
