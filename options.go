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
	// Driver is [DriverUring], [DriverAIO] or [DriverPool], or "" for the best one that the system
	// has, in that order. NewScheduler opens a named driver, and chooses the best one later.
	Driver string

	// Depth is the most operations that each ring has in flight, rounded up to a power of two. 0 means
	// 128; the most is 16384. Further operations wait in the Scheduler. Reads, writes and fsyncs each
	// leave part of it to the others, so that one kind that hangs does not stop them.
	Depth int

	// Rings is how many devices have rings to themselves; further devices share these. 0 means 3; 1 is
	// one ring for all; the most is 16. Under io_uring a busy device gets more rings, at most
	// GOMAXPROCS/4, and 32 for all devices. The pool has no rings.
	Rings int

	// Threads is the most threads that wait for all devices together, and for names in Batches. 0
	// means that only each device's budget bounds them: max(16, GOMAXPROCS), or max(64, GOMAXPROCS)
	// where nothing can be queued (pool, aio, overlayfs, NFS, FUSE). The most is 4095.
	Threads int

	// BufferMemory is the most memory for the Buffers of package direct, in bytes, rounded up to a
	// multiple of 2 MiB. A call that needs more waits. 0 means a sixteenth of the memory that the
	// process may use, and at least 64 MiB, or an eighth if that is less. Memory is taken when it is
	// first used.
	BufferMemory int64

	// Recorder, if not nil, records the Scheduler's operations, and its driver's system calls, while
	// it is started. Several Schedulers may share one. If it is nil and the environment has
	// SLUICE_TRACE=FILE, the Scheduler records the last operations in FILE, a new file: see
	// docs/trace.md.
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

// mostRings is the most devices that may have rings of their own. As many rings again are left for
// devices that need several (ioengine.MaxRings).
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
