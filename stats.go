package sluice

// Stats is a snapshot of what a [Scheduler] has done. The counters are read
// one after the other while operations go on, so sums can be off by those in
// progress.
type Stats struct {
	// Operations by path. A ReadAt that was served in two parts is two. What a
	// Batch does by name, its closes and calls on ranges are there, too.
	Cached   int64 // from the page cache, without waiting
	Blocking int64 // plain system calls, a thread waiting
	Queued   int64 // through the driver, no thread waiting

	// SharedSyncs is how many Syncs were served by another's fsync.
	SharedSyncs int64

	BytesRead    int64
	BytesWritten int64

	// Batches is how many times operations were handed to the driver, and
	// BatchSizes how many of these had 1, 2 to 3, 4 to 7 … 1024 and more.
	Batches    int64
	BatchSizes [11]int64

	Rings          int // that were started; see Options.Rings
	InFlight       int // operations in the driver now
	BlockedThreads int // threads waiting in system calls now, the driver's included

	// Memory of Buffers, in bytes: what users hold now, and the most that they
	// have held; what is kept for them, and how much of that is registered with
	// the driver.
	BuffersInUse, BuffersPeak        int64
	BuffersMapped, BuffersRegistered int64
}

// Stats returns a snapshot of the Scheduler's counters.
func (s *Scheduler) Stats() Stats {
	c, b := s.core.Stats(), s.pools.buffers.Stats()
	return Stats{
		Cached:         c.Cached,
		Blocking:       c.Blocking,
		Queued:         c.Queued,
		SharedSyncs:    c.SharedSyncs,
		BytesRead:      c.Read,
		BytesWritten:   c.Written,
		Batches:        c.Batches,
		BatchSizes:     c.BatchSizes,
		Rings:          c.Rings,
		InFlight:       c.InFlight,
		BlockedThreads: c.Blocked,

		BuffersInUse:      b.InUse,
		BuffersPeak:       b.Peak,
		BuffersMapped:     b.Mapped,
		BuffersRegistered: b.Registered,
	}
}
