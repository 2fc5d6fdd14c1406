// Package sim is a disk in memory that performs operations as disks do, for
// better and worse: it completes them in another order, shortens them, fails
// them, is slow or stuck, and loses power. All of it follows from a seed.
//
//	disk, err := sim.New(sim.Options{Seed: 1})
//	fd := disk.Create("log", nil)
//	… // writes and fsyncs through disk, a driver.Driver
//	after := disk.Crash()
//	log := after.Contents(after.Open("log")) // what was synced is there
//
// # Time
//
// The disk's clock is virtual. Each operation is due some time after it was
// submitted; a Reap that needs more than is due moves the clock on instead of
// waiting, and operations are performed in the order in which they are due. So
// a test takes no time, and the same calls give the same results for the same
// seed, as long as they are made in the same order, which concurrent ones are
// not.
//
// # Concurrency
//
// A Disk is used as any driver.Driver; its other methods may be called at any
// time by anyone.
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

	// firstFD is far from the system's descriptors, so that one taken for
	// the other is EBADF.
	firstFD = 1 << 24

	// maxFile is the largest file: what is written past it is EFBIG, before
	// it is a gigabyte of zeros in memory.
	maxFile = 1 << 30 // 1 GiB
)

// Options says how the disk behaves. The zero value is a good one, that
// completes in any order.
type Options struct {
	Seed uint64
	// Depth is the most operations in flight: 0 for 1024.
	Depth int
	// Sector is the unit, in bytes, that a loss of power leaves whole: 0 for
	// 512.
	Sector int
	// Latency is the longest that an operation takes, in virtual time: 0 for
	// 2 ms. Each takes between nothing and this.
	Latency time.Duration
	// Ordered completes operations in the order of submission.
	Ordered bool
	// Short is the share of transfers that are cut short, from 0 to 1.
	Short float64
	// Fail is the share of operations that fail, from 0 to 1, with one of
	// Errnos, or with EIO if there are none. A failed fsync leaves the file
	// as Linux does: some of its blocks are on the disk, and all of them
	// count as written from then on.
	Fail   float64
	Errnos []syscall.Errno
	// Space is how many bytes all files together may have, by their sizes;
	// 0 is no limit. Writes past it are short and then ENOSPC.
	Space int64
}

// Disk is a disk in memory as a driver.Driver.
type Disk struct {
	o Options

	mu      sync.Mutex
	changed sync.Cond // there is something for a waiting Reap: an operation or a Wake
	now     time.Duration
	serial  uint64 // of the operation submitted last
	flights flights
	hold    func(*driver.Op) bool

	names  map[string]*file
	open   map[int32]*file
	nextFD int32
	memory map[int][]byte // what is registered, by index

	// Chance is drawn from separate sources, so that a Cancel, say, does not
	// change what the operations after it meet with.
	fate, cancel, crash *rand.Rand

	woken  bool
	closed bool
	dead   bool // after Crash
}

// New makes an empty disk. It fails only for options out of range.
func New(o Options) (*Disk, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	d := &Disk{
		o: o, names: map[string]*file{}, open: map[int32]*file{}, nextFD: firstFD,
		memory: map[int][]byte{},
		fate:   rand.New(rand.NewPCG(o.Seed, 0)),
		cancel: rand.New(rand.NewPCG(o.Seed, 1)),
		crash:  rand.New(rand.NewPCG(o.Seed, 2)),
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

// Now is the disk's virtual time.
func (d *Disk) Now() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.now
}
