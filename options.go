package sluice

import (
	"cmp"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/sluiceio/sluice/internal/ioengine"
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

	// Rings is the most rings, or other queues of the driver, that are used. The first
	// devices that operations are queued for get a ring each, so that none of them waits
	// for another device whose queue is full. Devices beyond that share these rings. 0
	// means 3; 1 is one for all; the most is 16. Depth is that of each ring. A device is
	// what stat(2) calls one: a file system, or a block device. The pool has no rings.
	Rings int

	// BlockingThreads is the most threads that wait in system calls for what
	// the driver cannot do asynchronously: buffered writes, fsync, and reads
	// on file systems that cannot tell whether a read would wait. 0 means 64
	// under aio and pool, where buffered reads take such threads, too. Under
	// uring it means 5, and 64 once the ring has stopped working
	// (Stats.LostDrivers) or several reads wait on a file system that cannot
	// tell (overlayfs, NFS, FUSE). The most is 4096. Under uring and aio up to
	// 8 more threads wait in fsync, and up to 16 in sendfile, which copies
	// files to sockets. If BlockingThreads is 0, up to 12 more wait in such
	// writes of 512 KiB and more. Each ring has a thread that waits for it.
	// The calls of Batches on names (open, stat, rename, remove) take as many
	// threads again, and each copytree.Copy those of its Options.Concurrency.
	//
	// Under contention up to three devices each reserve a small part of these threads;
	// the rest are shared, so that a device that does not answer holds up few others.
	// While all are taken, a few more devices may have as small a part each, beyond the
	// limit. So may each kind of call to a device that has such a part (reads, writes,
	// fsyncs, and other changes as by Allocate): a frozen file system answers reads while
	// its writes hang. With 1 or 2 threads no device and no kind of call has a part.
	BlockingThreads int

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

// The bounds up to which operations are plain system calls although a driver could queue
// them: reads and fsyncs by how many there are at a time, direct writes and large
// reads by how many threads wait. Measured: docs/decisions/0002-paths.md, for fsyncs
// 0005-sync.md.
const (
	inlineBufferedReads = 4
	inlineWrites        = 4
	inlineSyncs         = 8
)

// halfOfProcessors returns half of GOMAXPROCS, but at least two and no more than most: the bound of direct reads, and of fsyncs
// while many are in progress. A thread in a plain call keeps its processor from the other goroutines.
func halfOfProcessors(most int) int { return max(2, min(runtime.GOMAXPROCS(0)/2, most)) }

// manyProcessors reports whether plain reads and direct writes are made beside any number of queued operations: they
// have at most four threads, so from GOMAXPROCS 6 on at least two processors are left to the queue.
func manyProcessors() bool { return runtime.GOMAXPROCS(0) >= 6 }

// largeWrites is how many threads more may be in large buffered writes: sched.permitPlainWrite.
const largeWrites = 12

// defaultDepth is how many operations keep a disk busy: with 128 in flight it is as fast
// as it gets, and operations beyond them are handed over in larger batches. Measured:
// docs/decisions/0002-paths.md.
const defaultDepth = 128

// queuedSyncs is the most fsyncs in flight: each keeps a thread of the kernel waiting.
// syncDepth adds room for the fsyncs of devices that come when others have all of these.
const (
	queuedSyncs = 256
	syncDepth   = queuedSyncs / 8 * 9
)

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

// driverNames are in the order in which they are tried. With io_uring buffered reads wait
// without a thread, too. With Linux AIO only direct I/O and fsyncs do; with the pool
// nothing does.
var driverNames = []string{"uring", "aio", "pool"}

func (o Options) check() error {
	switch {
	case o.Driver != "" && !slices.Contains(driverNames, o.Driver):
		return fmt.Errorf("sluice: Options.Driver %q is not one of %s", o.Driver, strings.Join(driverNames, ", "))
	case o.Depth < 0 || o.Depth > 16384:
		return fmt.Errorf("sluice: Options.Depth %d is not between 0 and 16384", o.Depth)
	case o.Rings < 0 || o.Rings > ioengine.MaxRings:
		return fmt.Errorf("sluice: Options.Rings %d is not between 0 and %d", o.Rings, ioengine.MaxRings)
	case o.BlockingThreads < 0 || o.BlockingThreads > 4096:
		return fmt.Errorf("sluice: Options.BlockingThreads %d is not between 0 and 4096", o.BlockingThreads)
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

// largeWrites returns how many threads beyond blockingThreads may be in large buffered writes: none if the program
// has set a bound.
func (o Options) largeWrites() int {
	if o.BlockingThreads != 0 {
		return 0
	}
	return largeWrites
}

// blockingThreads returns the bound in force under the named driver.
func (o Options) blockingThreads(driver string) int {
	switch {
	case o.BlockingThreads > 0:
		return o.BlockingThreads
	case driver == "uring":
		return inlineWrites + 1 // one is the quota of the device in use
	}
	return 64
}
