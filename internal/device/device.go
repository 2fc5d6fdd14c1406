// Package device has what a Scheduler keeps for each device that it has open files on. A device is
// what stat(2) returns as st_dev: the partition or volume of a file system, or a mount such as NFS.
// For the file of a block device it is the device itself.
//
// All methods may be called at the same time, except Init.
package device

import (
	"maps"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"weak"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/qos"
)

// Device is one device. Each user of a file on it keeps its Device, so that all count at one place.
type Device struct {
	Number uint64
	Budget budget.Budget // of the threads that wait for the device
	// Rings is where the device's operations are queued. It is nil at first, and changes once.
	Rings atomic.Pointer[ioengine.Group]
	// Tickets is the queue of the device's operations that wait for tickets, or nil.
	Tickets atomic.Pointer[qos.Queue]
	// Queued counts the operations that are queued, from before the ring has them until their
	// goroutines run again; an operation of a Transfer only until it has completed. Operations of
	// a TransferSet do not count: while its owner is busy, nobody reaps them.
	Queued atomic.Int32
	// Syncing counts the fsyncs in progress, plain calls and others.
	Syncing atomic.Int32
	// Governors choose between plain calls and the queue.
	Governors [governor.Kinds]governor.Governor
	// Helpers is package sched's: the goroutines that make calls of each kind for Transfers. The
	// second half is for Transfers whose contexts can end.
	Helpers [2 * budget.Kinds]any
	divided sync.Once // see SyncPlaces
	places  chan struct{}
}

// InFlight returns how many operations are queued, or in plain calls.
func (d *Device) InFlight() int32 { return d.Queued.Load() + d.Budget.InUse() }

// SyncPlaces returns a channel with an element for each fsync of the device that the driver for
// fsyncs has. It has room for as many as the first call says; who finds it full waits.
func (d *Device) SyncPlaces(most int) chan struct{} {
	d.divided.Do(func() { d.places = make(chan struct{}, most) })
	return d.places
}

// None is the number of the Device of files that are on none, or on one that is not known.
const None = math.MaxUint64

// Table is the Devices of a Scheduler. It forgets Devices that nobody has any more.
type Table struct {
	budgets budget.All
	none    *Device

	keep bool // forget none. Written by Init
	mu   sync.Mutex
	of   map[uint64]weak.Pointer[Device] // under mu, as is kept
	kept []*Device                       // all of them, with keep
}

// Init makes an empty Table. Threads is the most threads that may wait for all devices together; 0
// is no such bound. With keep the Table forgets none, whenever the garbage collector runs.
func (t *Table) Init(threads int, keep bool) {
	t.keep = keep
	// GOMAXPROCS takes a lock of the runtime.
	t.budgets.Init(threads, func() int { return runtime.GOMAXPROCS(0) })
	// The Device none has no cleanup: a cleanup would keep the Table, and so the Device.
	t.none = &Device{Number: None}
	t.none.Budget.Init(&t.budgets)
	t.of = map[uint64]weak.Pointer[Device]{None: weak.Make(t.none)}
}

// Budgets returns what all Budgets of the Scheduler have in common.
func (t *Table) Budgets() *budget.All { return &t.budgets }

// None returns the Device that stands for none.
func (t *Table) None() *Device { return t.none }

// OnForget has do called with arg, which must not lead to d, when nobody has d any more. For a d
// that t keeps it does nothing: what do leads to, such as t, would be kept for ever.
func OnForget[T any](t *Table, d *Device, do func(T), arg T) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d != t.none && !t.keep {
		runtime.AddCleanup(d, do, arg)
	}
}

// Of returns the Device with a number. While anybody has it, that is the same one.
func (t *Table) Of(number uint64) *Device {
	t.mu.Lock()
	defer t.mu.Unlock()
	if d := t.of[number].Value(); d != nil {
		return d
	}
	d := &Device{Number: number}
	d.Budget.Init(&t.budgets)
	t.of[number] = weak.Make(d)
	if t.keep {
		t.kept = append(t.kept, d)
		return d
	}
	runtime.AddCleanup(d, t.forget, number)
	return d
}

// forget removes a device that nobody has, unless somebody has asked for it again.
func (t *Table) forget(number uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.of[number].Value() == nil {
		delete(t.of, number)
	}
}

// All returns the Devices that somebody has, by number.
func (t *Table) All() []*Device {
	t.mu.Lock()
	defer t.mu.Unlock()
	all := make([]*Device, 0, len(t.of))
	for _, number := range slices.Sorted(maps.Keys(t.of)) {
		if d := t.of[number].Value(); d != nil {
			all = append(all, d)
		}
	}
	return all
}

// InUse returns how many threads wait for a device, and how many goroutines wait for their turn.
func (t *Table) InUse() (threads, waiting int) {
	for _, d := range t.All() {
		threads += int(d.Budget.InUse())
		waiting += d.Budget.Waiting()
	}
	return threads, waiting
}
