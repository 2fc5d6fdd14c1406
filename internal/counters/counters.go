// Package counters counts operations, by how they were performed, and the bytes that they
// moved.
package counters

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// Path says how an operation was performed.
type Path uint8

// The paths of package sched.
const (
	Cached Path = iota
	Blocking
	Queued
	numPaths
)

// stripes is the number of copies of each counter. Goroutines on different cores then seldom
// write the same cache line.
const stripes = 16 // a power of two

// Counters counts operations. All methods may be called at the same time.
type Counters struct {
	stripe [stripes]stripe
	shared atomic.Int64
}

type stripe struct {
	ops     [numPaths]atomic.Int64
	read    atomic.Int64
	written atomic.Int64
	copied  atomic.Int64
	_       [80]byte // fills two cache lines: adjacent ones are fetched in pairs
}

func (c *Counters) mine() *stripe { return &c.stripe[sys.StackHash()%stripes] }

// Add counts an operation and, if it succeeded, the bytes that it moved.
func (c *Counters) Add(p Path, code driver.Code, res int32) {
	s := c.mine()
	s.ops[p].Add(1)
	if res <= 0 {
		return
	}
	switch code {
	case driver.Read:
		s.read.Add(int64(res))
	case driver.Write:
		s.written.Add(int64(res))
	}
}

// SharedSync counts a Sync or Datasync that another caller's fsync has served.
func (c *Counters) SharedSync() { c.shared.Add(1) }

// Copied counts n bytes that the kernel has copied.
func (c *Counters) Copied(n int64) { c.mine().copied.Add(n) }

// Sums are the counts.
type Sums struct {
	Ops                   [numPaths]int64
	Read, Written, Copied int64
	SharedSyncs           int64
}

// Sum returns the counts. They are read one after the other while operations go on.
func (c *Counters) Sum() Sums {
	sum := Sums{SharedSyncs: c.shared.Load()}
	for i := range c.stripe {
		s := &c.stripe[i]
		for p := range s.ops {
			sum.Ops[p] += s.ops[p].Load()
		}
		sum.Read += s.read.Load()
		sum.Written += s.written.Load()
		sum.Copied += s.copied.Load()
	}
	return sum
}
