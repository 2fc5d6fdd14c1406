package sched

import (
	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/ioengine"
)

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
	sum := s.stats.Sum()
	st.Cached, st.Blocking, st.Queued = sum.Ops[counters.Cached], sum.Ops[counters.Blocking], sum.Ops[counters.Queued]
	st.Read, st.Written, st.Copied, st.SharedSyncs = sum.Read, sum.Written, sum.Copied, sum.SharedSyncs
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
