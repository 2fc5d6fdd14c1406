package sluice

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/trace"
)

// Options configures a [Scheduler]. The zero value is what [Default] uses.
type Options struct {
	// Driver is [DriverUring], [DriverAIO] or [DriverPool]. "" means the first of them that the
	// system has.
	Driver string

	// Depth is the most operations that each ring has in flight, rounded up to a power of two. 0
	// means 128; the most is 16384. Further operations wait in the Scheduler. Writes leave a
	// sixteenth of the places to reads, so writes that hang do not stop reads. Fsyncs have another
	// queue.
	Depth int

	// Rings is how many devices get a ring each; further devices share these rings. 0 means 3; the
	// most is 16. Under io_uring a busy device gets more rings, up to GOMAXPROCS/4, unless Rings is
	// 1. The pool has no rings.
	Rings int

	// Threads is the most threads that plain calls may hold, of all devices and of Batches' calls
	// with names (open, rename …) together. 0 means that only each device's budget bounds them;
	// Explain shows it. The most is 4095.
	Threads int

	// BufferMemory is the most memory for package direct's Buffers, in bytes, rounded up to a
	// multiple of 2 MiB. A call that needs more waits. 0 means about a sixteenth of the memory that
	// the process may use. Memory is taken when it is first used.
	BufferMemory int64

	// Recorder, if not nil, records the Scheduler's operations, and its drivers' system calls,
	// while it is started. Several Schedulers may share one. If it is nil and the environment has
	// SLUICE_TRACE=FILE, the Scheduler records its last operations in FILE, a new file: see
	// docs/trace.md.
	Recorder *trace.Recorder
}

// defaultDepth is enough operations to keep a disk busy: more in flight are not faster, and
// operations that wait are submitted in larger batches. Measured: docs/results/paths.md.
const defaultDepth = 128

// syncDepth is the most fsyncs in flight: each holds a kernel thread.
const syncDepth = 256

// defaultRings keeps three devices out of each other's way, with fewer than GOMAXPROCS + 8 threads:
// docs/decisions/0024-rings.md.
const defaultRings = 3

// mostRings is the most devices that may have rings. ioengine.MaxRings is twice as many: busy
// devices need several.
const mostRings = 16

// The drivers, as [Options].Driver and the environment variable SLUICE_DRIVER name them.
const (
	DriverUring = "uring" // io_uring: reads and direct writes hold no thread; fsyncs go by AIO
	DriverAIO   = "aio"   // Linux AIO: direct reads, direct writes and fsyncs hold no thread
	DriverPool  = "pool"  // threads, on every system
)

// driverNames holds the drivers in the order in which choose tries them.
var driverNames = []string{DriverUring, DriverAIO, DriverPool}

func (o Options) check() error {
	switch {
	case o.Driver != "" && !slices.Contains(driverNames, o.Driver):
		return fmt.Errorf("sluice: Options.Driver %q is not one of %s", o.Driver, strings.Join(driverNames, ", "))
	case o.Depth < 0 || o.Depth > 16384:
		return fmt.Errorf("sluice: Options.Depth %d is not between 0 and 16384", o.Depth)
	case o.Rings < 0 || o.Rings > mostRings:
		return fmt.Errorf("sluice: Options.Rings %d is not between 0 and %d", o.Rings, mostRings)
	case o.Threads < 0 || o.Threads > budget.Most:
		return fmt.Errorf("sluice: Options.Threads %d is not between 0 and %d", o.Threads, budget.Most)
	case o.BufferMemory < 0:
		return fmt.Errorf("sluice: Options.BufferMemory %d is negative", o.BufferMemory)
	}
	return nil
}

// depth returns the bound on operations in flight.
func (o Options) depth() int {
	if o.Depth > 0 {
		return o.Depth
	}
	return defaultDepth
}

// rings returns the bound on devices with rings.
func (o Options) rings() int { return cmp.Or(o.Rings, defaultRings) }
