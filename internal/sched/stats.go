package sched

import (
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/sys"
)

// path says how an operation was performed.
type path uint8

const (
	pathCached path = iota
	pathBlocking
	pathQueued
	numPaths
)

// stripes is the number of copies of each counter. Goroutines on different cores then seldom
// write the same cache line.
const stripes = 16 // a power of two

type counters struct {
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

// add counts an operation and, if it succeeded, the bytes that it moved.
func (c *counters) add(p path, code driver.Code, res int32) {
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

func (c *counters) sharedSync() { c.shared.Add(1) }

func (c *counters) mine() *stripe { return &c.stripe[sys.StackHash()%stripes] }

// Stats is a snapshot of a Scheduler's counters. They are read one after the other while
// operations go on.
type Stats struct {
	Cached, Blocking, Queued int64 // operations by path, wherever the bytes came from
	SharedSyncs              int64 // Syncs and Datasyncs that another caller's fsync served
	Read, Written            int64 // bytes
	Copied                   int64 // bytes that the kernel copied; see Scheduler.Copied
	Batches                  int64
	BatchSizes               [ioengine.BatchBuckets]int64
	InFlight                 int // operations that the drivers have
	Blocked                  int // threads waiting in a system call
	Rings                    int
}

// Stats returns the counters.
func (s *Scheduler) Stats() Stats {
	var st Stats
	for i := range s.stats.stripe {
		c := &s.stats.stripe[i]
		st.Cached += c.ops[pathCached].Load()
		st.Blocking += c.ops[pathBlocking].Load()
		st.Queued += c.ops[pathQueued].Load()
		st.Read += c.read.Load()
		st.Written += c.written.Load()
		st.Copied += c.copied.Load()
	}
	st.SharedSyncs = s.stats.shared.Load()
	st.Blocked = s.limiter.InUse()
	var engines ioengine.Stats
	for _, e := range s.rings.All() {
		e.AddTo(&engines)
		st.Rings++
	}
	st.Blocked += engines.Blocked
	if e := s.fsyncs.engine.Load(); e != nil && e != s.rings.First() {
		e.AddTo(&engines)
	}
	st.Batches, st.BatchSizes, st.InFlight = engines.Batches, engines.BatchSizes, engines.InFlight
	return st
}
