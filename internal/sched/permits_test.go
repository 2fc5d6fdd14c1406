package sched

import (
	"slices"
	"sync"

	"github.com/sluiceio/sluice/internal/budget"
)

// held is the permits that tests hold, of the Device that stands for none. Where Options.Threads is
// set, they leave fewer to all others.
var held struct {
	sync.Mutex
	of map[*Scheduler][]budget.Permit
}

// queuedOps returns how many operations of files on no device are queued.
func (s *Scheduler) queuedOps() int32 { return s.paths.Devices.None().Queued.Load() }

// hold takes a permit, if one is free.
func (s *Scheduler) hold() bool {
	p, ok := s.paths.Devices.None().Budget.TryAcquire(budget.Reads)
	if ok {
		held.Lock()
		defer held.Unlock()
		if held.of == nil {
			held.of = make(map[*Scheduler][]budget.Permit)
		}
		held.of[s] = append(held.of[s], p)
	}
	return ok
}

// letGo releases a permit of hold.
func (s *Scheduler) letGo() {
	held.Lock()
	of := held.of[s]
	p := of[len(of)-1]
	if held.of[s] = of[:len(of)-1]; len(of) == 1 {
		delete(held.of, s)
	}
	held.Unlock()
	p.Release()
}

// permits returns how many permits are taken.
func (s *Scheduler) permits() int {
	n, _ := s.paths.Devices.InUse()
	return n
}

// waiting returns how many goroutines wait for a permit.
func (s *Scheduler) waiting() int {
	_, n := s.paths.Devices.InUse()
	return n
}

// threads returns how many threads may wait for a device.
func (s *Scheduler) threads() int { return int(s.paths.Devices.None().Budget.Limit()) }

// unbound has each device have all permits that it may have, whatever the Options say.
func (s *Scheduler) unbound() { s.paths.Devices.Init(0, false) }

// ringOf returns the number of the ring that f's operations are queued in.
func (s *Scheduler) ringOf(f *File) int {
	return slices.Index(s.paths.Engines.All(), s.paths.RingsOf(f).Of(s.paths.Requests.New()))
}
