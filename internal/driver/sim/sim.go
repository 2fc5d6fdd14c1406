// Package sim is a disk in memory for tests. It behaves as real disks do at their worst: it
// completes operations in another order, transfers fewer bytes, fails, is slow or stuck, and loses
// power. A seed decides all of it.
//
//	disk, err := sim.New(sim.Options{Seed: 1})
//	fd := disk.Create("log", nil)
//	… // writes and fsyncs through disk, which is a driver.Driver
//	after := disk.Crash()
//	log := after.Contents(after.Open("log")) // the synced bytes are there
//
// Programs see a file as one of the system's, in memory and without a name there. So system calls
// that the disk does not perform, such as lseek(2) and mmap(2), work. The disk also knows the bytes
// that are certain to survive a crash, and the changes since.
//
// # Time
//
// Without Options.Timed the disk has a virtual clock. Each operation is due some time after it was
// submitted, and operations are performed in the order in which they are due. A Reap that needs
// more than is due advances the clock instead of waiting. So a test takes no time, and the same
// calls in the same order give the same results for the same seed. (The order of calls by several
// goroutines is not always the same.)
//
// With Options.Timed each operation takes real time. In a bubble of testing/synctest that is no
// time either. No two operations are due at once, so they take effect one after the other.
//
// # Concurrency
//
// A Queue is used as any driver.Driver. All methods of Disk may be called by any goroutine at any
// time.
package sim

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

const (
	defaultDepth   = 1024
	defaultSector  = 512
	defaultLatency = 2 * time.Millisecond

	// maxFile is the size of the largest file. Writes beyond it fail with EFBIG, so that a wrong
	// offset does not fill the memory with zeros.
	maxFile = 1 << 30 // 1 GiB
)

// Options configures a Disk. With the zero value operations complete in any order,
// and none fails.
type Options struct {
	Seed uint64
	// Depth is the most operations in flight; 0 for 1024.
	Depth int
	// Sector is the number of bytes that a power failure never splits; 0 for 512.
	Sector int
	// Latency is the longest time that an operation takes, in virtual time; 0 for 2 ms, or for none
	// at all with Timed. Each operation takes a time from 0 to Latency.
	Latency time.Duration
	// Timed makes operations take real time, or the time of a bubble of testing/synctest.
	Timed bool
	// Ordered completes operations in the order of submission.
	Ordered bool
	// Short is the fraction of transfers that are cut short, from 0 to 1.
	Short float64
	// Fail is the fraction of operations that fail, from 0 to 1, with one of Errnos, or with EIO if
	// Errnos is empty. A failed fsync leaves the file as Linux does: some of its blocks are on the
	// disk, and all of them count as written from then on.
	Fail   float64
	Errnos []syscall.Errno
	// Cached is the fraction of looks into the page cache (Look) that find the bytes, from 0 to 1.
	Cached float64
	// Space is the room of all named files together, in bytes; 0 is no limit. A file takes its
	// size, holes included, and the room allocated beyond it. A write that exceeds Space is short,
	// and the next one fails with ENOSPC; so does Change. A removed file may take the room that
	// named files leave.
	Space int64
	// Devices is the number of devices that the files are on, in turn; 0 for one. The devices have
	// the numbers from FirstDevice on.
	Devices int
	// Async is the driver's Async. If it is nil, no operation needs a thread.
	Async func(op *driver.Op) bool
}

// FirstDevice is the number of the first device. No real device has it.
const FirstDevice = 1 << 40

// Disk is a disk in memory. It is also a driver.Driver: its first Queue.
type Disk struct {
	*Queue
	o     Options
	start time.Time // of the clock, with Timed

	mu     sync.Mutex
	now    time.Duration // the virtual clock, without Timed
	serial uint64        // the number of operations submitted
	queues []*Queue
	calls  pendingOps // plain calls in progress
	hold   func(*driver.Op) bool
	frozen map[uint64]bool // devices that do not answer
	// changed is closed, and replaced, when plain calls must look again whether they are held.
	changed chan struct{}
	due     map[time.Duration]bool // when operations in flight are due, with Timed
	faults  []*Fault

	names names
	// directory stands for the directory of all files, for SyncNames. It has no image, and is not
	// in inodes.
	directory *file
	inodes    map[inodeKey]*file // files with a name, or an open image
	files     int                // how many files were made

	// seen counts operations that do the same to the same file. So the fate of an operation does
	// not depend on concurrent ones.
	seen map[opKey]uint64
	// cancel and crash are sources of random numbers. They are separate so that, say, a Cancel does
	// not change the outcome of a crash.
	cancel, crash *rand.Rand

	dead bool // after Crash
}

// New makes an empty disk. An error names the option that is out of range.
func New(o Options) (*Disk, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	d := &Disk{
		o: o, start: time.Now(), frozen: map[uint64]bool{}, changed: make(chan struct{}), due: map[time.Duration]bool{},
		names: newNames(), directory: &file{serial: -1, device: FirstDevice}, inodes: map[inodeKey]*file{}, seen: map[opKey]uint64{},
		cancel: rand.New(rand.NewPCG(o.Seed, 1)),
		crash:  rand.New(rand.NewPCG(o.Seed, 2)),
	}
	d.Queue = d.NewQueue(o.Depth)
	return d, nil
}

func (o *Options) check() error {
	switch {
	case o.Depth < 0:
		return fmt.Errorf("sim: Depth %d is negative", o.Depth)
	case o.Sector < 0:
		return fmt.Errorf("sim: Sector %d is negative", o.Sector)
	case o.Latency < 0:
		return fmt.Errorf("sim: Latency %v is negative", o.Latency)
	case o.Short < 0 || o.Short > 1:
		return fmt.Errorf("sim: Short %v is not between 0 and 1", o.Short)
	case o.Fail < 0 || o.Fail > 1:
		return fmt.Errorf("sim: Fail %v is not between 0 and 1", o.Fail)
	case o.Cached < 0 || o.Cached > 1:
		return fmt.Errorf("sim: Cached %v is not between 0 and 1", o.Cached)
	case o.Space < 0:
		return fmt.Errorf("sim: Space %d is negative", o.Space)
	case o.Devices < 0:
		return fmt.Errorf("sim: Devices %d is negative", o.Devices)
	}
	if o.Depth == 0 {
		o.Depth = defaultDepth
	}
	if o.Sector == 0 {
		o.Sector = defaultSector
	}
	if o.Latency == 0 && !o.Timed {
		o.Latency = defaultLatency
	}
	if o.Devices == 0 {
		o.Devices = 1
	}
	if len(o.Errnos) == 0 {
		o.Errnos = []syscall.Errno{syscall.EIO}
	}
	return nil
}

// Now returns the disk's time.
func (d *Disk) Now() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.clock()
}

// clock returns the time. It must be called with mu held.
func (d *Disk) clock() time.Duration {
	if d.o.Timed {
		return time.Since(d.start)
	}
	return d.now
}

// Well ends all failures and short transfers, and releases all held operations.
func (d *Disk) Well() {
	d.mu.Lock()
	d.o.Fail, d.o.Short, d.faults = 0, 0, nil
	d.mu.Unlock()
	d.Release()
	d.Thaw()
}

// SetFail changes Options.Fail.
func (d *Disk) SetFail(fraction float64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.o.Fail = fraction
}
