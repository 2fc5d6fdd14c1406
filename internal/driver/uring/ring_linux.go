//go:build amd64 || arm64

package uring

import (
	"cmp"
	"errors"
	"fmt"
	"math/bits"
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// defaultDepth is how many operations a Ring has in flight unless told: more
// than any disk's queue, less than what makes a completion queue large.
const defaultDepth = 1024

// leastDepth is the depth below which a ring is not worth having.
const leastDepth = 32

// Options configures a Ring. The zero value is useful.
type Options struct {
	// Depth is the most operations in flight: 1 to 16384, 0 for 1024. It is
	// rounded up to a power of two, and lowered to what RLIMIT_MEMLOCK allows
	// where rings count (before Linux 5.12, and again by 6.18).
	Depth int
	// Workers bounds the kernel threads that io_uring adds to the process for
	// operations that it cannot do asynchronously, for each thread that
	// submits; 0 means 1. Linux before 5.15 has no such bound.
	Workers int
	// Files is how many files of its own the ring is to have, for chains
	// (driver.Linker): 0 to 32768. It has none where the kernel has no such
	// thing (before 5.15), or allows less.
	Files int
	// Late has the ring be opened when it is first used. New opens one to see
	// what the kernel has, and closes it: the program may close all descriptors
	// when it begins. Such a ring has no files of its own.
	Late bool
	// Record is who records the ring's system calls; nil is nobody.
	Record *record.Hook
}

// Ring is an io_uring instance as a driver.Driver.
type Ring struct {
	hook     *record.Hook
	late     late
	loss     loss
	fd       int
	self     sys.Descriptor // fd, as it was opened
	depth    uint32
	workers  uint32
	features []string
	files    int // files of its own
	// rasync: a buffered read that must wait does so without a worker (5.9).
	rasync bool
	links  bool // files can be opened into a table, and closed there (5.15)

	mem    []byte // the rings' shared memory
	sqemem []byte // the SQEs' shared memory

	// The submission queue. sqMu orders those who write SQEs: the submitter,
	// Wake and Cancel. No one holds it in a system call. The kernel advances
	// sqHead, under its own lock, as it consumes.
	sqMu           sync.Mutex
	sqHead, sqTail *uint32
	sqMask         uint32
	sqes           []sys.SQE

	// The completion queue: read by the goroutine in Reap alone.
	cqHead, cqTail *uint32
	cqMask         uint32
	cqes           []sys.CQE

	slots slots

	buffers buffers

	// wake is 1 from Wake until a Reap returns because of it: at most one
	// wake-up is ever in the ring.
	wake  atomic.Uint32
	woken bool // Reap's: the wake-up's CQE has been taken
	// cancels counts cancellations in the ring, which need room in the CQ.
	cancels atomic.Int32
	closed  atomic.Bool
}

var (
	_ driver.Stager    = (*Ring)(nil)
	_ driver.Registrar = (*Ring)(nil)
	_ driver.Linker    = (*Ring)(nil)
)

// New sets up a ring. The error is a system call's (EPERM under seccomp or
// kernel.io_uring_disabled, ENOSYS before 5.1, ENOMEM if RLIMIT_MEMLOCK leaves
// no room even for a small one), or says which feature of 5.6 is missing; it
// wraps errors.ErrUnsupported in the latter case.
func New(o Options) (*Ring, error) {
	depth, workers, err := o.check()
	if err != nil {
		return nil, err
	}
	r := &Ring{hook: cmp.Or(o.Record, new(record.Hook)), depth: depth, workers: uint32(workers)}
	err = r.open(o.Files)
	for errors.Is(err, syscall.ENOMEM) && r.depth > leastDepth {
		r.depth /= 2
		err = r.open(o.Files)
	}
	if err != nil {
		return nil, err
	}
	r.slots.init(r.depth)
	if o.Late {
		r.late.delay(r)
	}
	return r, nil
}

// open makes the ring, with so many files of its own.
func (r *Ring) open(files int) error {
	fd, p, err := setup(r.depth, r.hook)
	if err != nil {
		return fmt.Errorf("io_uring_setup: %w", err)
	}
	if err := r.use(fd, p); err != nil {
		r.release()
		return err
	}
	r.ownFiles(files)
	return nil
}

// use takes a ring that was just made.
func (r *Ring) use(fd int, p *sys.UringParams) error {
	r.fd, r.self = fd, sys.Describe(fd)
	descriptors.add(r)
	return r.init(p)
}

func (o Options) check() (depth uint32, workers int, err error) {
	if o.Depth < 0 || o.Depth > 16384 {
		return 0, 0, fmt.Errorf("uring: Depth %d is not between 0 and 16384", o.Depth)
	}
	if o.Files < 0 || o.Files > 32768 {
		return 0, 0, fmt.Errorf("uring: Files %d is not between 0 and 32768", o.Files)
	}
	if o.Files > 0 && o.Late {
		return 0, 0, errors.New("uring: Files of a ring that is opened late")
	}
	if o.Workers < 0 {
		return 0, 0, fmt.Errorf("uring: Workers %d is negative", o.Workers)
	}
	depth = defaultDepth
	if o.Depth > 0 {
		depth = 1 << bits.Len32(uint32(o.Depth)-1)
	}
	return depth, max(o.Workers, 1), nil
}

// setup creates the ring, leaving out what an older kernel does not know. The
// CQ has twice the depth: completions of operations, wake-ups and
// cancellations always find room, so that it never overflows.
func setup(depth uint32, hook *record.Hook) (int, *sys.UringParams, error) {
	for _, optional := range []uint32{sys.IORING_SETUP_SUBMIT_ALL, 0} {
		p := &sys.UringParams{
			Flags:     sys.IORING_SETUP_CQSIZE | sys.IORING_SETUP_CLAMP | optional,
			CQEntries: 2 * max(depth, 16),
		}
		start := hook.Now()
		fd, err := sys.UringSetup(max(depth, 16), p)
		hook.Call(start, record.Call{Res: result(fd, err), Syscall: record.SysUringSetup, Drv: record.DriverUring})
		if err == syscall.EINVAL && optional != 0 {
			continue
		}
		return fd, p, err
	}
	panic("unreachable")
}

// result is a system call's return as records have it.
func result(n int, err error) int32 {
	if e, ok := err.(syscall.Errno); ok {
		return -int32(e)
	}
	return int32(n)
}

// init checks what the kernel has and maps the ring.
func (r *Ring) init(p *sys.UringParams) error {
	if err := r.usable(); err != nil {
		return err
	}
	if err := r.probe(p, r.workers); err != nil {
		return err
	}
	if err := r.mmap(p); err != nil {
		return fmt.Errorf("io_uring mmap: %w", err)
	}
	return nil
}

// usable refuses a ring that may be made and not used, as seccomp filters can
// have it that name one system call of the three.
func (r *Ring) usable() error {
	if res := sys.UringEnter(r.fd, 0, 0, 0); res < 0 {
		return fmt.Errorf("io_uring_enter: %w", syscall.Errno(-res))
	}
	if _, err := sys.UringProbe(r.fd); err != nil && err != syscall.EINVAL {
		return fmt.Errorf("io_uring_register: %w", err)
	}
	return nil
}

// probe refuses kernels before 5.6 and notes what newer ones give.
func (r *Ring) probe(p *sys.UringParams, workers uint32) error {
	const need = sys.IORING_FEAT_SINGLE_MMAP | sys.IORING_FEAT_NODROP
	ops, err := sys.UringProbe(r.fd) // EINVAL before 5.6
	if err != nil || p.Features&need != need || !ops[sys.IORING_OP_READ] || !ops[sys.IORING_OP_WRITE] {
		return fmt.Errorf("io_uring is older than Linux 5.6: %w", errors.ErrUnsupported)
	}
	bounded := sys.UringMaxWorkers(r.fd, workers, workers) == nil
	if r.features == nil {
		r.describe(ops[:], p, bounded)
	}
	return nil
}

// describe notes what the kernel has, once: others may ask for it while a ring is
// opened late.
func (r *Ring) describe(ops []bool, p *sys.UringParams, bounded bool) {
	n := 0
	for _, ok := range ops {
		if ok {
			n++
		}
	}
	r.rasync = p.Features&sys.IORING_FEAT_POLL_32BITS != 0
	r.links = ops[sys.IORING_OP_OPENAT] && ops[sys.IORING_OP_CLOSE] && ops[sys.IORING_OP_LINKAT]
	r.features = append(r.features, fmt.Sprintf("%d operations", n))
	if r.rasync {
		r.features = append(r.features, "asynchronous buffered reads")
	}
	if p.Flags&sys.IORING_SETUP_SUBMIT_ALL != 0 {
		r.features = append(r.features, "whole batches (SUBMIT_ALL)")
	}
	if bounded {
		r.features = append(r.features, "bounded kernel workers")
	}
}

// Info implements driver.Driver.
func (r *Ring) Info() driver.Info {
	return driver.Info{Name: "uring", Depth: int(r.depth), Features: r.features}
}

// Async implements driver.Driver. A buffered write and an fsync are handed to
// a kernel worker by every kernel so far (on xfs a write only when it would
// wait); an extending direct write too, but that shows only when it is made.
func (r *Ring) Async(op *driver.Op) bool {
	switch op.Code {
	case driver.Nop:
		return true
	case driver.Read:
		return r.rasync || op.Flags&driver.Direct != 0
	case driver.Write:
		return op.Flags&driver.Direct != 0
	}
	return false
}
