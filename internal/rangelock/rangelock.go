// Package rangelock locks ranges of a file against each other.
//
//	r, err := l.Acquire(ctx, off, off+n)
//	if err != nil {
//		return err // ctx's
//	}
//	defer l.Release(r)
//
// Who acquires a range waits for all earlier ones that overlap it, whether
// they are held or still waiting, and for no others. So a lock on the whole
// file waits for what is in progress when it is asked for, and what comes
// after waits for it: nobody starves.
//
// # Concurrency
//
// The methods of Lock may be called by any number of goroutines at once. A
// Range belongs to the goroutine that acquired it until Release.
package rangelock

import (
	"context"
	"math"
	"math/rand/v2"
	"sync"
)

// End is the end of a range that has none.
const End = math.MaxInt64

// Lock is a lock on ranges. The zero value has none locked.
type Lock struct {
	mu     sync.Mutex
	ranges tree // those held and those waited for
	serial uint64
}

// Range is a range that is locked, or waited for.
type Range struct {
	lo, hi int64  // [lo, hi)
	serial uint64 // in the order in which they were asked for

	// older counts the ranges in the tree that overlap this one and were
	// asked for before it. At 0 the range is held. Under Lock.mu.
	older int
	// ready holds a value once older has come down to 0.
	ready chan struct{}

	// As a node of the tree. Under Lock.mu.
	left, right *Range
	priority    uint32
	most        int64 // the greatest hi in the subtree
}

// ranges is shared by all Locks, so that locking allocates nothing.
var ranges = sync.Pool{New: func() any { return &Range{ready: make(chan struct{}, 1)} }}

// Acquire locks the bytes from lo up to, and not including, hi. It returns
// ctx's error if ctx ends while it waits.
func (l *Lock) Acquire(ctx context.Context, lo, hi int64) (*Range, error) {
	if lo >= hi {
		panic("rangelock: Acquire of an empty range")
	}
	r := ranges.Get().(*Range)
	r.lo, r.hi, r.priority = lo, hi, rand.Uint32()
	l.mu.Lock()
	l.serial++
	r.serial = l.serial
	r.older = l.ranges.overlapping(lo, hi)
	held := r.older == 0
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

// Release ends the lock on r, which is nobody's from then on.
func (l *Lock) Release(r *Range) {
	l.mu.Lock()
	l.ranges.remove(r)
	l.ranges.unblock(r)
	l.mu.Unlock()
	select {
	case <-r.ready: // was told at the moment when its context ended
	default:
	}
	ranges.Put(r)
}
