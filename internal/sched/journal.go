package sched

import (
	"math"
	"time"

	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/record"
)

// journal gives the governors of a Scheduler its clock, and what it knows of the processors.
type journal struct{ s *Scheduler }

// Now also asks how many processors there are.
func (j journal) Now() time.Duration {
	j.s.paths.Devices.Budgets().AskProcessors()
	return j.s.paths.Clock()
}

// ProbeProcessors finds out by a yield, now and then, whether the processors are taken.
// While operations are queued, leaders find out, but beside plain calls there may be none.
func (j journal) ProbeProcessors() bool {
	p := &j.s.paths.Engines.Processors
	if p.Due(j.s.paths.Clock()) {
		j.s.yield()
	}
	return p.Taken(j.s.paths.Clock())
}

// yield lets other goroutines run that are ready.
func (s *Scheduler) yield() { s.paths.Engines.Processors.Yield(1, s.paths.Clock) }

func (j journal) Computes() bool { return j.s.paths.Engines.Processors.Computes() }

func (j journal) Forget() { j.s.paths.Engines.Processors.Forget(j.s.paths.Clock()) }

// Prepare opens the first ring. Where all operations have been plain calls there is none, and later
// the program may lack a descriptor for it.
func (j journal) Prepare() {
	j.s.goroutines.Go(func() {
		j.s.Ready()
		for _, e := range j.s.paths.Engines.All() {
			e.Driver().Wake() // which opens a ring whose opening was delayed
		}
	})
}

// recordTrial records a trial of a governor of d, if a recorder is on. The record is a call without
// a driver, of a ring of d. Its Batch is the number of operations that began in the trial. Its Res
// is the trial's rate, in per mille of the rate of its neighbours: a difference could be negative,
// which means an error in a record.
func (s *Scheduler) recordTrial(d *device.Device, kind governor.Kind, t *governor.Trial) {
	now := s.paths.Recording.Now()
	if now == 0 {
		return
	}
	hook := s.paths.Recording // of the first ring
	if g := d.Rings.Load(); g != nil {
		hook = g.Hook()
	}
	clock := s.paths.Clock() // it began at another time than the clock of records
	at := func(t time.Duration) int64 { return max(1, now-int64(clock-t)) }
	hook.Call(at(t.Began), record.Call{
		End: at(t.Ended), Batch: int32(min(t.Operations, math.MaxInt32)),
		Res:     int32(min(math.Round(1000*t.Rate), math.MaxInt32)),
		Syscall: record.Trials + 2*uint8(kind) + uint8(t.Choice),
	})
}
