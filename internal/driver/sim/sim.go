// Package sim is a disk in memory for tests. It behaves as real disks do at their
// worst: it completes operations in another order, transfers fewer bytes, fails, is
// slow or stuck, and loses power. A seed decides all of it.
//
//	disk, err := sim.New(sim.Options{Seed: 1})
//	fd := disk.Create("log", nil)
//	… // writes and fsyncs through disk, which is a driver.Driver
//	after := disk.Crash()
//	log := after.Contents(after.Open("log")) // what was synced is there
//
// # Time
//
// The disk has a virtual clock. Each operation is due some time after it was
// submitted. A Reap that needs more than is due advances the clock instead of
// waiting. Operations are performed in the order in which they are due. So a test
// takes no time, and the same calls in the same order give the same results for the
// same seed. (The order of calls by several goroutines is not always the same.)
//
// # Concurrency
//
// A Disk is used as any driver.Driver. Its other methods may be called by any
// goroutine at any time.
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

	// firstFD is far from the numbers of the system's descriptors, so that
	// confusing them gives EBADF.
	firstFD = 1 << 24

	// maxFile is the size of the largest file. Writes beyond it fail with EFBIG,
	// so that a wrong offset does not fill the memory with zeros.
	maxFile = 1 << 30 // 1 GiB
)

// Options configures a Disk. With the zero value operations complete in any order,
// and none fails.
type Options struct {
	Seed uint64
	// Depth is the largest number of operations in flight; 0 for 1024.
	Depth int
	// Sector is the number of bytes that a power failure never splits; 0 for 512.
	Sector int
	// Latency is the longest time that an operation takes, in virtual time; 0 for
	// 2 ms. Each operation takes between 0 and this.
	Latency time.Duration
	// Ordered completes operations in the order of submission.
	Ordered bool
	// Short is the fraction of transfers that are cut short, from 0 to 1.
	Short float64
	// Fail is the fraction of operations that fail, from 0 to 1, with one of
	// Errnos, or with EIO if that is empty. A failed fsync leaves the file as
	// Linux does: some of its blocks are on the disk, and all of them count as
	// written from then on.
	Fail   float64
	Errnos []syscall.Errno
	// Space is the sum of the sizes that all files can have, in bytes; 0 is no
	// limit. A write that exceeds it is short, the next one fails with ENOSPC.
	Space int64
}

// Disk is a disk in memory as a driver.Driver.
type Disk struct {
	o Options

	mu      sync.Mutex
	changed sync.Cond // signalled after each operation and Wake, for a waiting Reap
	now     time.Duration
	serial  uint64 // the number of operations submitted
	pending pendingOps
	hold    func(*driver.Op) bool

	names  map[string]*file
	open   map[int32]*file
	nextFD int32
	memory map[int][]byte // registered memory, by index

	// There are separate sources of random numbers, so that, say, a Cancel does
	// not change what happens to the operations after it.
	outcomes, cancel, crash *rand.Rand

	woken  bool
	closed bool
	dead   bool // after Crash
}

// New makes an empty disk. An error names the option that is out of range.
func New(o Options) (*Disk, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	d := &Disk{
		o: o, names: map[string]*file{}, open: map[int32]*file{}, nextFD: firstFD,
		memory:   map[int][]byte{},
		outcomes: rand.New(rand.NewPCG(o.Seed, 0)),
		cancel:   rand.New(rand.NewPCG(o.Seed, 1)),
		crash:    rand.New(rand.NewPCG(o.Seed, 2)),
	}
	d.changed.L = &d.mu
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
	case o.Space < 0:
		return fmt.Errorf("sim: Space %d is negative", o.Space)
	}
	if o.Depth == 0 {
		o.Depth = defaultDepth
	}
	if o.Sector == 0 {
		o.Sector = defaultSector
	}
	if o.Latency == 0 {
		o.Latency = defaultLatency
	}
	if len(o.Errnos) == 0 {
		o.Errnos = []syscall.Errno{syscall.EIO}
	}
	return nil
}

// Async implements driver.Driver.
func (d *Disk) Async(*driver.Op) bool { return true }

// Info implements driver.Driver.
func (d *Disk) Info() driver.Info { return driver.Info{Name: "sim", Depth: d.o.Depth} }

// Now returns the disk's virtual time.
func (d *Disk) Now() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}
