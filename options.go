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
	// Driver is "uring", "aio" or "pool", or "" for the best one that the
	// system has, in that order. A named driver is opened by NewScheduler. The best
	// one is chosen when it is first needed.
	Driver string

	// Depth is the most operations that the driver has in flight at once,
	// rounded up to a power of two. 0 means 128; the most is 16384.
	// Operations beyond it wait in the scheduler. Writes leave part of it to fsyncs
	// and reads, and fsyncs to writes and reads: a frozen file system answers reads
	// while its writes hang.
	Depth int

	// Rings is how many devices have a ring, or another queue of the driver, of their own,
	// so that none of them waits for another device whose queue is full. Devices beyond
	// that share these rings. 0 means 3; 1 is one ring for all; the most is 16. Depth is
	// that of each ring. Under io_uring a device has more rings, at most GOMAXPROCS/4,
	// while one goroutine cannot submit and complete all its operations. There are 32
	// rings at most. A device is what stat(2) calls one: a file system, or a block device.
	// The pool has no rings.
	Rings int

	// Threads is the most threads that wait in system calls for all devices together, and for names in Batches. 0 means
	// no bound but that of each device: as many as GOMAXPROCS, at least 16, and at least 64 where nothing
	// can be queued (under pool and aio, on overlayfs, NFS and FUSE). The most is 4095. With a bound, a device that hangs may have all.
	Threads int

	// BufferMemory is the most memory for the Buffers of package direct, in bytes, rounded
	// up to a multiple of 2 MiB. A call that needs more waits. 0 means a sixteenth of the
	// memory that the process may use (the machine's, or the limit of its control groups),
	// and at least 64 MiB, or an eighth of it where that is less. No memory is taken before
	// it is used.
	BufferMemory int64

	// Recorder, if not nil, records the Scheduler's operations, and its driver's system
	// calls, while it is started. Several Schedulers may have the same one. If it is
	// nil and the environment variable SLUICE_TRACE=FILE is set, the Scheduler records
	// from the beginning, in FILE, which must not exist ("%p" in its name stands for
	// the number of the process). FILE has the last SLUICE_TRACE_EVENTS operations and
	// calls (1,032,192 if that is not set). `sluice trace` reads it. Programs that are
	// set-user-ID or set-group-ID, or have capabilities of their file, ignore SLUICE_TRACE.
	Recorder *trace.Recorder
}

// defaultDepth is how many operations keep a disk busy: with 128 in flight it is as fast
// as it gets, and operations beyond them are handed over in larger batches. Measured:
// docs/results/paths.md.
const defaultDepth = 128

// syncDepth is the most fsyncs in flight: each keeps a thread of the kernel waiting.
const syncDepth = 256

// kernelChains is how many chains of a Batch the kernel has at a time. kernelWorkers is how
// many threads it may take for operations in them that must wait. Measured:
// docs/decisions/0022-batch.md.
const (
	kernelChains  = 64
	kernelWorkers = 4
)

// defaultRings is how many devices do not get in each other's way, while the threads stay
// under GOMAXPROCS + 8: docs/decisions/0024-rings.md.
const defaultRings = 3

// mostRings is the most devices that may have rings of their own. As many rings again are left for devices that
// need several (ioengine.MaxRings).
const mostRings = 16

// The drivers, as [Options].Driver and the environment variable SLUICE_DRIVER name them.
const (
	DriverUring = "uring" // io_uring: reads, direct writes and fsyncs hold no thread
	DriverAIO   = "aio"   // Linux AIO: direct reads, direct writes and fsyncs hold no thread
	DriverPool  = "pool"  // threads, on every system
)

// driverNames are in the order in which they are tried.
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

// depth returns the bound in force on operations in flight.
func (o Options) depth() int {
	if o.Depth > 0 {
		return o.Depth
	}
	return defaultDepth
}

// rings returns the bound in force on rings.
func (o Options) rings() int { return cmp.Or(o.Rings, defaultRings) }
