package sched

import (
	"errors"
	"sync"
	"time"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/spare"
	"github.com/sluiceio/sluice/internal/sys"
)

// Scheduler performs operations on Files through a driver, or several of a kind.
type Scheduler struct {
	// paths has the three paths that a transfer can take (ReadCached, PlainCall, Queue), and
	// what they need: the rings, the devices, the classes, the counters.
	paths      iopath.Paths
	names      names
	raws       spare.Pool[ForeignFile] // for RawFiles
	helpersMu  sync.Mutex              // guards all deviceHelpers; see also Transfer
	goroutines sync.WaitGroup          // the helpers, and one that prepares the first ring
	fsyncs     fsyncs
	syncings   spare.Pool[syncing] // syncings that are not in use
	// startRange starts the write-back of a part of a file (sys.StartWriteback). It is a field so
	// that a test can replace it.
	startRange func(fd int, off, n int64) int32
}

// New returns a Scheduler that owns the driver that choose returns. See iopath.Paths.Init. It has
// one ring unless Rings.SetMost says otherwise.
func New(choose func() driver.Driver, o Options) *Scheduler {
	s := &Scheduler{startRange: sys.StartWriteback}
	s.paths.Init(choose, o)
	s.names.all.Init(s.paths.Devices.Budgets())
	return s
}

// Now returns the time of the Scheduler's clock, which never goes back.
func (s *Scheduler) Now() time.Duration { return s.paths.Clock() }

// Close closes the drivers. All operations must have ended: their Files are closed.
func (s *Scheduler) Close() error {
	s.paths.EndChoice()
	s.paths.Classes.Close()
	for _, e := range s.paths.Engines.All() {
		e.Wait() // a leader may start helpers
	}
	s.goroutines.Wait()
	var errs []error
	if e := s.fsyncs.engine.Load(); e != nil {
		errs = append(errs, e.Close())
	}
	for _, e := range s.paths.Engines.All() {
		errs = append(errs, e.Close())
	}
	return errors.Join(errs...)
}

// CloseFile stops new operations on f, and waits for those in progress. It makes sure that they are
// reaped: the owner of a TransferSet does not reap while it closes the file. It reports whether
// this was the first call.
func (s *Scheduler) CloseFile(f *File) bool {
	s.paths.Engines.RequireLeaders()
	defer s.paths.Engines.ReleaseLeaders()
	return f.Close(func() { s.paths.Classes.RejectFile(&f.Count) })
}

// Ready has the driver chosen, unless that is done. See iopath.Paths.Ready.
func (s *Scheduler) Ready() { s.paths.Ready() }

// Driver describes the driver. It is the zero Info if there is none.
func (s *Scheduler) Driver() driver.Info {
	s.Ready()
	return s.paths.Driver
}

// Rings returns the rings. There are none before Ready.
func (s *Scheduler) Rings() *ioengine.Rings { return &s.paths.Engines }

// Devices returns the devices that somebody has, with their budgets.
func (s *Scheduler) Devices() *device.Table { return &s.paths.Devices }

// DeviceOf returns the device that f is on, or the one that stands for none if f is nil.
func (s *Scheduler) DeviceOf(f *File) *device.Device { return s.paths.DeviceOf(f) }

// Hook returns the hook through which operations are recorded.
func (s *Scheduler) Hook() *record.Hook { return s.paths.Recording }

// Stats is a snapshot of a Scheduler's counters, read one after the other while operations go on.
type Stats struct {
	counters.Sums
	Cached, Plain, Queued int64 // operations by path, wherever the bytes came from
	ioengine.Stats              // of all drivers. Blocked counts all threads in system calls
	Rings                 int
}

// Stats returns the counters.
func (s *Scheduler) Stats() Stats {
	st := Stats{Sums: s.paths.Counters.Sum(), Rings: len(s.paths.Engines.All())}
	st.Cached, st.Plain, st.Queued = st.Ops[counters.Cached], st.Ops[counters.Plain], st.Ops[counters.Queued]
	if e := s.fsyncs.engine.Load(); e != nil {
		e.AddTo(&st.Stats)
	}
	// This sets Blocked, so that the leader above does not count: the driver for fsyncs is Linux
	// AIO, and a goroutine that waits in it has no thread.
	st.Blocked, _ = s.paths.Devices.InUse()
	for _, e := range s.paths.Engines.All() {
		e.AddTo(&st.Stats)
	}
	return st
}
