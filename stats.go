package sluice

import "github.com/sluiceio/sluice/internal/governor"

// Stats is a snapshot of what a [Scheduler] has done. The counters are read one after the
// other while operations go on, so sums can be off by the operations in progress.
type Stats struct {
	// Operations by path. A ReadAt that was served in two parts counts as two. A
	// Batch's operations by name, its closes and its calls on ranges count, too.
	//
	// Cached is the number of reads that a look into the page cache answered, which
	// cannot wait (preadv2(2), RWF_NOWAIT). It is not the number of reads whose data the
	// page cache had: with next to nothing in flight a large read, or a Read, is a plain
	// system call without such a look, and counts in Blocking even if it does not wait.
	Cached int64
	// Blocking is the number of plain system calls: the thread waits if there is
	// something to wait for.
	Blocking int64
	// Queued is the number of operations through the driver. No thread of the caller
	// waits for them.
	Queued int64

	// SharedSyncs is the number of Syncs and Datasyncs that another one's call served.
	SharedSyncs int64

	BytesRead    int64 // from files, through Files, direct files and Batches
	BytesWritten int64 // to files, in the same ways
	// BytesCopied is the number of bytes that the system copied from file to file, or
	// between a file and a socket (File.ReadFrom, File.WriteTo, http.ServeContent).
	// They are in no other count.
	BytesCopied int64

	Batches int64 // the times that operations were handed to the driver
	// BatchSizes counts the Batches by size: 1, 2 to 3, 4 to 7 … 1024 and more operations.
	BatchSizes [11]int64

	// LostDrivers is the number of rings, or other queues of a driver, that have
	// stopped working since they were chosen: the kernel refuses their system calls
	// (seccomp(2)), or the program has closed their descriptors. Their operations are
	// then performed by plain calls. Explain says why.
	LostDrivers int

	Rings    int // rings that are open; see Options.Rings. 0 while no driver is chosen
	InFlight int // operations in the driver now
	// BlockedThreads is the number of plain system calls in progress, except calls on names
	// (open, stat, rename, remove), and of goroutines that wait in the Scheduler's driver for it to
	// complete something. Each has a thread, except those that wait in the driver aio.
	BlockedThreads int

	// Governors is the number of governors that have compared plain calls with the queue at least
	// once. There is one for each kind of operation on each device with open files. GovernorsPlain is
	// how many of them keep plain calls now. Explain says what each one has measured.
	Governors, GovernorsPlain int

	// Memory of package direct's Buffers, in bytes; see Options.BufferMemory.
	BuffersInUse      int64 // held by users now
	BuffersPeak       int64 // held by users at most
	BuffersMapped     int64 // kept for Buffers, whether they are used or not
	BuffersRegistered int64 // how much of BuffersMapped is registered with the driver
}

// Stats returns a snapshot of the Scheduler's counters.
func (s *Scheduler) Stats() Stats {
	c, b := s.h.Core.Stats(), s.h.Buffers.Stats()
	governors, plain := s.governors()
	return Stats{
		Cached:         c.Cached,
		Blocking:       c.Blocking,
		Queued:         c.Queued,
		SharedSyncs:    c.SharedSyncs,
		BytesRead:      c.Read,
		BytesWritten:   c.Written,
		BytesCopied:    c.Copied,
		Batches:        c.Batches,
		BatchSizes:     c.BatchSizes,
		LostDrivers:    len(s.h.Core.LostDrivers()),
		Rings:          c.Rings,
		InFlight:       c.InFlight,
		BlockedThreads: c.Blocked,

		Governors:      governors,
		GovernorsPlain: plain,

		BuffersInUse:      b.InUse,
		BuffersPeak:       b.Peak,
		BuffersMapped:     b.Mapped,
		BuffersRegistered: b.Registered,
	}
}

// governors returns how many governors have compared both ways, and how many of them keep plain calls.
func (s *Scheduler) governors() (all, plain int) {
	for _, c := range s.h.Core.Choices() {
		all++
		if c.Choice == governor.Plain {
			plain++
		}
	}
	return all, plain
}
