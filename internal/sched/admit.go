package sched

import (
	"cmp"
	"context"
	"slices"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
)

// path is how an operation is performed that may have to wait.
type path uint8

const (
	queued path = iota
	plain       // a plain call if a permit is free, else it is queued
	waits       // a plain call, once there is a permit
)

// operation is what admit has to know of an operation.
type operation struct {
	canQueue bool // the driver can perform it without a thread
	ends     bool // its context can end
}

// admit decides on which path an operation is performed. Room: its governor leaves room for one more plain call. A plain call
// cannot be asked to end early.
func admit(o operation, room bool) path {
	switch {
	case !o.canQueue:
		return waits
	case o.ends:
		return queued
	case room:
		return plain
	}
	return queued
}

// tryPlain takes a permit for an operation on f that is to be a plain call, if admit says so and one is free. If not,
// waitOrQueue performs it. Before the driver is chosen, an operation counts as one that can be queued: if it is alone
// it is a plain call, and needs no driver.
func (s *Scheduler) tryPlain(ctx context.Context, kind governor.Kind, code driver.Code, f *File) (budget.Permit, bool) {
	d, o := s.paths.DeviceOf(f), operation{canQueue: s.paths.MayQueue(code, f), ends: ctx.Done() != nil}
	if o.ends {
		return budget.Permit{}, false
	}
	room, most := true, int32(budget.Most)
	if o.canQueue {
		if kind == governor.Writes { // which seldom take a second transfer
			s.countOn(d, kind)
		}
		room, most = s.room(d, kind, d.InFlight())
	}
	if admit(o, room) == queued {
		return budget.Permit{}, false
	}
	return d.Budget.TryAcquireBelow(iopath.KindOf(code), most)
}

// count tells the governor of a kind of reads that one of f begins. Each read calls it once, whatever number of transfers it
// takes: else a choice that takes more transfers would seem to do more.
func (s *Scheduler) count(ctx context.Context, kind governor.Kind, f *File) {
	if ctx.Done() == nil && s.paths.MayQueue(driver.Read, f) {
		s.countOn(s.paths.DeviceOf(f), kind)
	}
}

// countOn tells the governor of a kind of operations on d that one begins.
func (s *Scheduler) countOn(d *device.Device, kind governor.Kind) {
	if s.paths.Govern {
		d.Governors[kind].Count(d.InFlight(), s.few(), journal{s})
	}
}

// room reports whether there is room for one more plain call to d beside what is in flight, as the governor of its kind has
// chosen, if fewer than most permits are taken.
//
// A thread in a plain call keeps its processor. If there is no other, nobody else can ask for an operation. But a program that
// makes few operations, one after the other, needs no driver. However good plain calls are, they leave a quarter of the permits
// to what cannot be queued.
func (s *Scheduler) room(d *device.Device, kind governor.Kind, inFlight int32) (ok bool, most int32) {
	switch {
	case !s.paths.Govern:
		return inFlight < int32(s.paths.Plain), int32(s.paths.Plain)
	case d.Governors[kind].Choice() == governor.Plain:
		limit := d.Budget.Limit()
		return true, limit - limit/4
	case s.paths.Devices.Budgets().Processors() == 1 && s.paths.IsReady():
		return false, 0
	}
	return inFlight == 0, 1
}

// few returns how many threads in plain calls the processors serve well, as a guess: while one waits, another runs.
func (s *Scheduler) few() int32 { return 2 * int32(s.paths.Devices.Budgets().Processors()) }

// Choice is what a governor has found out.
type Choice struct {
	Device *device.Device
	Kind   governor.Kind
	Choice governor.Choice
	governor.Comparison
}

// Choices returns what the governors have found out that have compared something.
func (s *Scheduler) Choices() []Choice {
	var all []Choice
	for _, d := range s.Devices() {
		for kind := range governor.Kinds {
			if choice, c := d.Governors[kind].State(); c.Number > 0 {
				all = append(all, Choice{d, kind, choice, c})
			}
		}
	}
	slices.SortFunc(all, func(a, b Choice) int {
		return cmp.Or(cmp.Compare(a.Device.Number, b.Device.Number), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

// largeRead is the size from which on a read is worth a thread. Its transfer, or its copy from the page
// cache, takes longer than the time that the queue saves. The ring also makes a buffered one in pieces, one
// for each part of the page cache that arrives.
const largeRead = ioengine.LargeRead

// readKind returns the kind of a read of n bytes.
func readKind(n int) governor.Kind {
	if n >= largeRead {
		return governor.LargeReads
	}
	return governor.Reads
}
