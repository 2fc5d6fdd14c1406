package sluice

import (
	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/governor"
)

// Stats is a snapshot of what a [Scheduler] has done. The counters are read one after the other
// while operations go on, so sums can be off by the operations in progress. [File.Stats] has the
// counts of a File, [Class.Stats] has the counts of a class, and [Scheduler.DeviceStats] has the
// operations in progress at each device.
type Stats struct {
	// Cached, Plain and Queued are the transfers and calls that took each of the three paths. A
	// ReadAt in two transfers counts as two. A Batch's calls on names count, too.
	Cached int64 // answered by the page cache, in a call that cannot wait (RWF_NOWAIT)
	Plain  int64 // performed by a plain call, whether it had to wait or not
	Queued int64 // queued to a ring

	// SharedSyncs is the number of Syncs and Datasyncs that another caller's fsync served.
	SharedSyncs int64

	BytesRead    int64 // from files, through Files, direct files and Batches
	BytesWritten int64 // to files, in the same ways
	// BytesCopied is the number of bytes that the kernel copied from file to file, or between a
	// file and a socket (File.ReadFrom, File.WriteTo). They are in no other count.
	BytesCopied int64

	Submits int64 // how often operations were handed to a ring, one or more at a time
	// SubmitSizes counts the Submits by size: 1, 2 to 3, 4 to 7 … 1024 and more operations.
	SubmitSizes [11]int64

	Rings    int // rings that are open; 0 while no driver is chosen. See Options.Rings
	InFlight int // operations that rings have now
	// LostRings is the number of rings that have stopped working, as under a seccomp(2) filter.
	// Their operations become plain calls. Explain returns why.
	LostRings int
	// WaitingThreads is how many threads are in plain calls of Files, or lead a ring and wait for
	// it. Threads in calls with names are not counted.
	WaitingThreads int

	// Governors is the number of governors that have measured plain calls against the queue, or
	// found that plain calls do not wait. GovernorsPlain is how many of them choose plain calls
	// now. Explain shows the measurements.
	Governors, GovernorsPlain int

	// Memory of package direct's Buffers, in bytes; see Options.BufferMemory.
	BuffersMost       int64 // the bound
	BuffersInUse      int64 // in use now
	BuffersPeak       int64 // the most that was in use at a time
	BuffersMapped     int64 // mapped for Buffers, in use or not
	BuffersRegistered int64 // the part of BuffersMapped that is registered with a ring
}

// Stats returns a snapshot of the Scheduler's counters.
func (s *Scheduler) Stats() Stats {
	h := s.made()
	c, b := h.Core.Stats(), h.Buffers.Stats()
	governors, plain := s.governors()
	return Stats{
		Cached:         c.Cached,
		Plain:          c.Plain,
		Queued:         c.Queued,
		SharedSyncs:    c.SharedSyncs,
		BytesRead:      c.Read,
		BytesWritten:   c.Written,
		BytesCopied:    c.Copied,
		Submits:        c.Batches,
		SubmitSizes:    c.BatchSizes,
		Rings:          c.Rings,
		InFlight:       c.InFlight,
		LostRings:      len(h.Core.Rings().Losses()),
		WaitingThreads: c.Blocked,

		Governors:      governors,
		GovernorsPlain: plain,

		BuffersMost:       h.Buffers.Limit(),
		BuffersInUse:      b.InUse,
		BuffersPeak:       b.Peak,
		BuffersMapped:     b.Mapped,
		BuffersRegistered: b.Registered,
	}
}

// governors returns how many governors have found out something, and how many choose plain calls.
func (s *Scheduler) governors() (all, plain int) {
	for _, c := range s.h.Core.Choices() {
		all++
		if c.InCall || c.Choice == governor.Plain {
			plain++
		}
	}
	return all, plain
}

// FileStats is a snapshot of what a [File] has done, with its views. The counts begin when the File
// is opened. Cached reads are counted for the Scheduler only ([Stats].Cached).
type FileStats struct {
	Plain        int64 // operations that were plain calls
	Queued       int64 // operations that were queued
	BytesRead    int64 // by these operations
	BytesWritten int64 // likewise
}

// Stats returns a snapshot of the File's counters. They are 0 for a file without disk I/O.
func (f *File) Stats() FileStats {
	if f == nil || f.h.IO == nil {
		return FileStats{}
	}
	c := f.h.IO.Counts()
	return FileStats{
		Plain: c.Ops[counters.Plain], Queued: c.Ops[counters.Queued], BytesRead: c.Read, BytesWritten: c.Written,
	}
}

// DeviceStats is a snapshot of what goes on at a device on which a [Scheduler] has open files.
type DeviceStats struct {
	// Name is the kernel's name of the disk, such as "nvme0n1", or "device" and its number (st_dev)
	// if the file system has no disk. It is "no device" for files on none.
	Name string
	// InFlight is the number of operations that are queued now, in the Scheduler or in a ring,
	// without the reads of direct.File.ReadMany and of direct.Reader.
	InFlight       int
	WaitingThreads int // threads in plain calls now, without leaders: permits in use
	Waiting        int // goroutines that wait for a permit
	Permits        int // the budget: the most threads that may wait for the device
	// Rings is how many rings the device has. It is 0 if nothing was queued, and if all devices
	// share a ring.
	Rings int
}

// DeviceStats returns a snapshot of each device on which the Scheduler has open files.
func (s *Scheduler) DeviceStats() []DeviceStats {
	var all []DeviceStats
	for _, d := range s.made().Core.Devices().All() {
		if d.Number == device.None && d.InFlight() == 0 {
			continue // device.None is always in the list
		}
		rings := 0
		if g := d.Rings.Load(); g != nil {
			rings = g.Len()
		}
		all = append(all, DeviceStats{
			Name:           deviceName(d.Number),
			InFlight:       int(d.Queued.Load()),
			WaitingThreads: int(d.Budget.InUse()),
			Waiting:        d.Budget.Waiting(),
			Permits:        int(d.Budget.Limit()),
			Rings:          rings,
		})
	}
	return all
}
