package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/admission"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/iopath"
)

// tryPlain takes a permit for an operation on f that is to be a plain call (admission.PathOf), if
// there is one. If not, waitOrQueue performs the operation. No plain call needs a driver.
func (s *Scheduler) tryPlain(ctx context.Context, kind governor.Kind, code driver.Code, f *File) (p iopath.Plain, ok bool) {
	d, queues := s.paths.DeviceOf(f), s.paths.MayQueue(code, f)
	waits := !s.neverWaits(f) || queues && !s.paths.Govern
	switch admission.PathOf(queues, ctx.Done() != nil, waits) {
	case admission.Call:
		ok = true
	case admission.CallOrWait:
		if ctx.Done() == nil { // else AcquirePermit has a rule for it
			p.Permit, ok = d.Budget.TryAcquire(iopath.KindOf(code))
		}
	case admission.CallOrQueue:
		if kind == governor.Writes { // which seldom take a second transfer
			s.countOn(d, kind, true)
		}
		most := s.room(d, kind, d.InFlight())
		if g := &d.Governors[kind]; s.paths.CheckWaits && g.BeginCheck() {
			p.Check, most = g, admission.PlainPermits(d.Budget.Limit())
		}
		if p.Permit, ok = d.Budget.TryAcquireBelow(iopath.KindOf(code), most); !ok && p.Check != nil {
			p.Check.GiveUpCheck()
		}
	}
	return p, ok
}

// neverWaits reports whether a call on f waits for nothing, so that it needs no permit, and there
// is nothing to measure: f is in memory. With Options.Threads all calls count.
func (s *Scheduler) neverWaits(f *File) bool {
	return s.paths.Threads == 0 && s.paths.InMemory(f)
}

// count notes for the governor of a kind of reads that a read of f begins. Each read calls it once,
// however many transfers it takes: otherwise a choice with more transfers would seem to do more.
func (s *Scheduler) count(ctx context.Context, kind governor.Kind, f *File) {
	if ctx.Done() == nil && s.paths.MayQueue(driver.Read, f) && !s.neverWaits(f) {
		s.countOn(s.paths.DeviceOf(f), kind, f.Flags&driver.Direct != 0)
	}
}

// countOn notes for the governor of a kind of operations on d that an operation begins. Direct says
// that it is with O_DIRECT.
func (s *Scheduler) countOn(d *device.Device, kind governor.Kind, direct bool) {
	g := &d.Governors[kind]
	switch {
	case !s.paths.Govern:
	case s.taken(d, kind):
		g.Pause()
	default:
		s.countWith(journal{s}, d, kind, direct)
	}
}

// countWith is countOn if the processors are not taken. J is a journal for the kind.
func (s *Scheduler) countWith(j governor.Journal, d *device.Device, kind governor.Kind, direct bool) {
	g, n := &d.Governors[kind], inFlight(d, kind)
	if g.Undecided(n) {
		d.Queued.Add(1) // it counts for others
		s.yield()
		d.Queued.Add(-1)
		n = inFlight(d, kind)
	}
	few := admission.Few(kind, s.paths.Devices.Budgets().Processors(), d.Budget.Limit(),
		s.paths.IsReady(), direct)
	if t := g.Count(n, few, j); t != nil {
		s.recordTrial(d, kind, t)
	}
}

// inFlight returns how many operations of d the governor of the kind regards as in flight, beside
// the one that asks. An fsync that asks is in d.Syncing already.
func inFlight(d *device.Device, kind governor.Kind) int32 {
	if kind == governor.Syncs {
		return d.Syncing.Load() - 1
	}
	return d.InFlight()
}

// taken reports whether the processors are taken (package pressure), as far as is known. Now and
// then it yields, unless the operation is alone, to find out again: few operations are plain calls
// then, and nobody else finds out.
func (s *Scheduler) taken(d *device.Device, kind governor.Kind) bool {
	p := &s.paths.Engines.Processors
	if !p.Noted() || d.Governors[kind].Immune() {
		return false
	}
	if inFlight(d, kind) > 0 && p.Ended(s.paths.Clock()) {
		s.yield()
	}
	return p.Taken(s.paths.Clock())
}

// room returns how many permits of d may be taken for plain calls beside what is in flight, as the
// governor of the kind has chosen; see admission.Room. Without governors it is Options.Plain.
func (s *Scheduler) room(d *device.Device, kind governor.Kind, inFlight int32) (most int32) {
	if !s.paths.Govern {
		if plain := int32(s.paths.Plain); inFlight < plain {
			return plain
		}
		return 0
	}
	g := &d.Governors[kind]
	return admission.Room(kind, g.Choice(), admission.Load{
		InFlight: inFlight, Permits: d.Budget.Limit(),
		Processors: s.paths.Devices.Budgets().Processors(), Ready: s.paths.IsReady(),
		Taken: s.taken(d, kind),
	})
}

// Choice is what a governor has found out.
type Choice struct {
	Device *device.Device
	Kind   governor.Kind
	Choice governor.Choice
	InCall bool // plain calls do not wait, so nothing is compared
	governor.Comparison
}

// Choices returns what the governors have found out that have found out something.
func (s *Scheduler) Choices() []Choice {
	var all []Choice
	for _, d := range s.paths.Devices.All() {
		for kind := range governor.Kinds {
			g := &d.Governors[kind]
			choice, c := g.State()
			if inCall := g.InCall(); inCall || c.Number > 0 {
				all = append(all, Choice{d, kind, choice, inCall, c})
			}
		}
	}
	return all
}

// largeRead is the size from which on a read is worth a thread. Its transfer, or its copy from the
// page cache, takes longer than the time that the queue saves. The ring also makes a buffered one
// in pieces, one for each part of the page cache that arrives.
const largeRead = driver.Large

func readKind(f *File, n int) governor.Kind {
	if n >= largeRead && f.Flags&driver.Direct == 0 {
		return governor.LargeReads
	}
	return governor.Reads
}
