// Package counters counts operations by their path, and the bytes that they moved.
package counters

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// Path is the way in which an operation was performed.
type Path uint8

// The paths of package sched.
const (
	Cached Path = iota
	Plain
	Queued
	numPaths
)

// stripes is the number of copies of each counter. Goroutines on different cores then seldom write
// the same cache line.
const stripes = 64 // a power of two

// Counters counts operations. All methods may be called at the same time.
type Counters struct {
	stripe [stripes]stripe
	shared atomic.Int64
	mu     sync.Mutex // held while a recent is emptied, so that Sum sees its counts once
}

type stripe struct {
	recent  [numPaths][2]recent // of reads, of writes
	ops     [numPaths]atomic.Int64
	read    atomic.Int64
	written atomic.Int64
	copied  atomic.Int64
	_       [32]byte // fills two cache lines: adjacent ones are fetched in pairs
}

// recent counts operations that moved fewer than 1<<maxBits bytes, and these bytes, by one atomic
// addition:
//
//	bits 0–19   number of operations
//	bits 20–63  number of bytes
//
// When the number of operations has reached half of its range, the counts move to the stripe's
// larger counters. The other half is room for operations that are counted until then.
type recent struct{ word atomic.Uint64 }

const (
	opsBits = 20
	maxBits = 20
	half    = 1 << (opsBits - 1)
)

// counts returns a word of a recent as two numbers.
func counts(word uint64) (ops, bytes int64) {
	return int64(word & (1<<opsBits - 1)), int64(word >> opsBits)
}

func (c *Counters) mine() *stripe { return &c.stripe[sys.StackHash()%stripes] }

// Add counts an operation and, if it succeeded, the bytes that it moved.
func (c *Counters) Add(p Path, code driver.Code, res int32) { c.mine().count(&c.mu, p, code, res) }

// One is Counters without copies: for a file, whose users write its cache lines anyway. All methods
// may be called at the same time.
type One struct {
	stripe stripe
	mu     sync.Mutex // as Counters.mu
}

// Add counts an operation, as Counters.Add does.
func (o *One) Add(p Path, code driver.Code, res int32) { o.stripe.count(&o.mu, p, code, res) }

// Sum returns the counts.
func (o *One) Sum() (sum Sums) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.stripe.addTo(&sum)
	return sum
}

// count counts an operation. It holds mu while a recent is emptied.
func (s *stripe) count(mu *sync.Mutex, p Path, code driver.Code, res int32) {
	if uint32(res) >= 1<<maxBits || code != driver.Read && code != driver.Write {
		s.add(p, code, 1, int64(max(res, 0)))
		return
	}
	r := &s.recent[p][direction(code)]
	if r.word.Add(uint64(res)<<opsBits|1)&half != 0 {
		s.empty(mu, p, code, r)
	}
}

// direction returns the index of a recent for reads or writes.
func direction(code driver.Code) int {
	if code == driver.Write {
		return 1
	}
	return 0
}

// add counts operations, and the bytes that they moved.
func (s *stripe) add(p Path, code driver.Code, ops, bytes int64) {
	s.ops[p].Add(ops)
	switch code {
	case driver.Read:
		s.read.Add(bytes)
	case driver.Write:
		s.written.Add(bytes)
	}
}

// empty moves the counts of r, which counts operations of a path and code, to s.
func (s *stripe) empty(mu *sync.Mutex, p Path, code driver.Code, r *recent) {
	mu.Lock()
	defer mu.Unlock()
	ops, bytes := counts(r.word.Swap(0))
	s.add(p, code, ops, bytes)
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

// Sum returns the counts, read one after the other while operations go on.
func (c *Counters) Sum() Sums {
	c.mu.Lock()
	defer c.mu.Unlock()
	sum := Sums{SharedSyncs: c.shared.Load()}
	for i := range c.stripe {
		c.stripe[i].addTo(&sum)
	}
	return sum
}

// addTo adds the counts to sum. The caller holds the lock under which recents are emptied.
func (s *stripe) addTo(sum *Sums) {
	for p := range s.ops {
		reads, read := counts(s.recent[p][direction(driver.Read)].word.Load())
		writes, written := counts(s.recent[p][direction(driver.Write)].word.Load())
		sum.Ops[p] += s.ops[p].Load() + reads + writes
		sum.Read += read
		sum.Written += written
	}
	sum.Read += s.read.Load()
	sum.Written += s.written.Load()
	sum.Copied += s.copied.Load()
}
