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
	// Record is who records the ring's system calls; nil is nobody.
	Record *record.Hook
}

// Ring is an io_uring instance as a driver.Driver.
type Ring struct {
	hook     *record.Hook
	fd       int
	depth    uint32
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
	hook := cmp.Or(o.Record, new(record.Hook))
	fd, p, err := setup(depth, hook)
	for err == syscall.ENOMEM && depth > leastDepth {
		depth /= 2
		fd, p, err = setup(depth, hook)
	}
	if err != nil {
		return nil, fmt.Errorf("io_uring_setup: %w", err)
	}
	r := &Ring{hook: hook, fd: fd, depth: depth, rasync: p.Features&sys.IORING_FEAT_POLL_32BITS != 0}
	if err := r.init(p, uint32(workers)); err != nil {
		r.release()
		return nil, err
	}
	r.ownFiles(o.Files)
	return r, nil
}

func (o Options) check() (depth uint32, workers int, err error) {
	if o.Depth < 0 || o.Depth > 16384 {
		return 0, 0, fmt.Errorf("uring: Depth %d is not between 0 and 16384", o.Depth)
	}
	if o.Files < 0 || o.Files > 32768 {
		return 0, 0, fmt.Errorf("uring: Files %d is not between 0 and 32768", o.Files)
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
func (r *Ring) init(p *sys.UringParams, workers uint32) error {
	if err := r.usable(); err != nil {
		return err
	}
	if err := r.probe(p, workers); err != nil {
		return err
	}
	if err := r.mmap(p); err != nil {
		return fmt.Errorf("io_uring mmap: %w", err)
	}
	r.slots.init(r.depth)
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
	n := 0
	for _, ok := range ops {
		if ok {
			n++
		}
	}
	r.links = ops[sys.IORING_OP_OPENAT] && ops[sys.IORING_OP_CLOSE] && ops[sys.IORING_OP_LINKAT]
	r.features = append(r.features, fmt.Sprintf("%d operations", n))
	if r.rasync {
		r.features = append(r.features, "asynchronous buffered reads")
	}
	if p.Flags&sys.IORING_SETUP_SUBMIT_ALL != 0 {
		r.features = append(r.features, "whole batches (SUBMIT_ALL)")
	}
	if sys.UringMaxWorkers(r.fd, workers, workers) == nil {
		r.features = append(r.features, "bounded kernel workers")
	}
	return nil
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
