package sched

import (
	"cmp"
	"context"
	"math"
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

// load is what admit has to know of the device.
type load struct {
	inFlight int32 // operations, queued or in plain calls
	most     int32 // so many in flight leave no room for a plain call: the governor's choice
}

// noBound is a load.most that leaves the number of plain calls to the device's Budget.
const noBound = math.MaxInt32

// admit decides on which path an operation is performed. A plain call cannot be asked to end early.
func admit(o operation, l load) path {
	switch {
	case !o.canQueue:
		return waits
	case o.ends:
		return queued
	case l.inFlight < l.most:
		return plain
	}
	return queued
}

// tryPlain takes a permit for an operation on f that is to be a plain call, if admit says so and one is free. If not,
// waitOrQueue performs it. Each operation calls tryPlain once: its governor counts it. Before the driver is chosen,
// an operation counts as one that can be queued: if it is alone it is a plain call, and needs no driver.
func (s *Scheduler) tryPlain(ctx context.Context, kind governor.Kind, code driver.Code, f *File) (budget.Permit, bool) {
	d, o := s.DeviceOf(f), operation{canQueue: s.paths.MayQueue(code, f), ends: ctx.Done() != nil}
	var l load
	if o.canQueue && !o.ends {
		l = s.load(d, kind)
	}
	switch admit(o, l) {
	case plain:
		return d.Budget.TryAcquireBelow(iopath.KindOf(code), l.most)
	case waits:
		if !o.ends {
			return d.Budget.TryAcquire(iopath.KindOf(code))
		}
	}
	return budget.Permit{}, false
}

// load returns the load of d for an operation of a kind, and counts the operation.
func (s *Scheduler) load(d *device.Device, kind governor.Kind) load {
	l := load{inFlight: d.InFlight(), most: int32(s.paths.Plain)}
	if s.paths.Govern {
		l.most = s.most(d.Governors[kind].Choose(l.inFlight, s.few(), journal{s}))
	}
	return l
}

// most returns the load.most of a Choice. A thread in a plain call keeps its processor. If there is no other, nobody
// else can ask for an operation. But a program that makes few operations, one after the other, needs no driver.
func (s *Scheduler) most(c governor.Choice) int32 {
	switch {
	case c == governor.Plain:
		return noBound
	case s.paths.Devices.Budgets().Processors() == 1 && s.paths.IsReady():
		return 0
	}
	return 1
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
