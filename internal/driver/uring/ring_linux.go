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

// defaultDepth is more than any disk's queue holds, and still makes a small completion queue.
const defaultDepth = 1024

// minDepth is the least useful depth.
const minDepth = 32

// maxWorkers is the most kernel threads that io_uring adds to the process, for each thread that
// submits, for operations that it cannot perform asynchronously. Linux before 5.15 has no such
// bound.
const maxWorkers = 1

// Options configures a Ring. The zero value is useful.
type Options struct {
	// Depth is the most operations in flight: 1 to 16384, 0 for 1024. It is rounded up to a power
	// of two. It is lowered to the bound of RLIMIT_MEMLOCK, on kernels where rings count against it
	// (before Linux 5.12, and from 6.14 on).
	Depth int
	// Lazy opens the ring when it is first used. New still opens a ring, to probe the kernel, and
	// closes it. Lazy is for programs that may close all descriptors when they begin.
	Lazy bool
	// Record, if not nil, records the ring's system calls.
	Record *record.Hook
}

// Ring is an io_uring instance as a driver.Driver.
type Ring struct {
	hook  *record.Hook
	lazy  lazyOpen
	loss  loss
	waits waits
	fd    int
	self  sys.Descriptor // fd, as it was opened
	depth uint32
	// parallel is set if at most maxWorkers kernel threads serve this ring, and several may write
	// to one file.
	parallel bool
	features []string
	// a buffered read that has to wait takes no worker thread (5.9)
	asyncReads bool

	mem    []byte // the mapping of SQ and CQ
	sqemem []byte // the mapping of the SQEs

	// The submission queue. sqMu is held while SQEs are written, by Stage, Wake and Cancel, and
	// never in a system call. The kernel advances sqHead, under its own lock, as it reads SQEs.
	sqMu           sync.Mutex
	sqHead, sqTail *uint32
	sqMask         uint32
	sqes           []sys.SQE

	// The completion queue. Only the goroutine in Reap uses it.
	cqHead, cqTail *uint32
	cqMask         uint32
	cqes           []sys.CQE

	slots slots

	buffers buffers

	// wake is 1 from Wake until the Reap that it ends. So there is never more than one wake-up in
	// the ring.
	wake  atomic.Uint32
	woken bool // the wake-up's CQE was taken. Used by Reap alone
	// cancels is the number of cancellations in the ring. Each needs room in the CQ.
	cancels atomic.Int32
	closed  atomic.Bool
}

var (
	_ driver.Stager    = (*Ring)(nil)
	_ driver.Registrar = (*Ring)(nil)
)

// New creates a ring. The error is from a system call (EPERM under seccomp or
// kernel.io_uring_disabled, ENOSYS before 5.1, ENOMEM if RLIMIT_MEMLOCK is too low even for a small
// ring). If the kernel is older than 5.6, the error wraps errors.ErrUnsupported.
func New(o Options) (*Ring, error) {
	depth, err := o.check()
	if err != nil {
		return nil, err
	}
	r := &Ring{hook: cmp.Or(o.Record, new(record.Hook)), depth: depth}
	err = r.open()
	for errors.Is(err, syscall.ENOMEM) && r.depth > minDepth {
		r.depth /= 2
		err = r.open()
	}
	if err != nil {
		return nil, err
	}
	r.slots.init(r.depth)
	if o.Lazy {
		r.lazy.delay(r)
	}
	return r, nil
}

// open creates the ring.
func (r *Ring) open() error {
	fd, p, err := setup(r.depth, r.hook)
	if err != nil {
		return fmt.Errorf("io_uring_setup: %w", err)
	}
	if err := r.adopt(fd, p); err != nil {
		r.release()
		return err
	}
	return nil
}

// adopt maps and checks a ring that was just created.
func (r *Ring) adopt(fd int, p *sys.UringParams) error {
	r.fd, r.self = fd, sys.Describe(fd)
	descriptors.add(r)
	return r.init(p)
}

func (o Options) check() (depth uint32, err error) {
	if o.Depth < 0 || o.Depth > 16384 {
		return 0, fmt.Errorf("uring: Depth %d is not between 0 and 16384", o.Depth)
	}
	depth = defaultDepth
	if o.Depth > 0 {
		depth = 1 << bits.Len32(uint32(o.Depth)-1)
	}
	return depth, nil
}

// setup creates the ring, without flags that an older kernel does not know. The CQ has twice the
// depth: there is always room for the completions of operations, wake-ups and cancellations.
func setup(depth uint32, hook *record.Hook) (int, *sys.UringParams, error) {
	for optional := uint32(sys.IORING_SETUP_SUBMIT_ALL); ; optional = 0 {
		p := &sys.UringParams{
			Flags:     sys.IORING_SETUP_CQSIZE | sys.IORING_SETUP_CLAMP | optional,
			CQEntries: 2 * max(depth, 16),
		}
		start := hook.Now()
		fd, err := sys.UringSetup(max(depth, 16), p)
		hook.Call(start, record.Call{Res: sys.Result(fd, err), Syscall: record.SysUringSetup, Drv: record.DriverUring})
		if err == syscall.EINVAL && optional != 0 {
			continue
		}
		return fd, p, err
	}
}

// init checks that the ring can be used, notes the kernel's features, and maps the ring. A seccomp
// filter may allow io_uring_setup and refuse the other two system calls.
func (r *Ring) init(p *sys.UringParams) error {
	if res := sys.UringEnter(r.fd, 0, 0, 0); res < 0 {
		return fmt.Errorf("io_uring_enter: %w", syscall.Errno(-res))
	}
	ops, err := r.probe(p)
	if err != nil {
		return err
	}
	bounded := sys.UringMaxWorkers(r.fd, maxWorkers, maxWorkers) == nil
	if r.features == nil {
		r.describe(ops, p, bounded)
	}
	if err := r.mmap(p); err != nil {
		return fmt.Errorf("io_uring mmap: %w", err)
	}
	return nil
}

// probe returns which operations the kernel has. It refuses kernels before 5.6.
func (r *Ring) probe(p *sys.UringParams) ([]bool, error) {
	ops, err := sys.UringProbe(r.fd)
	if err != nil && err != syscall.EINVAL { // EINVAL: before 5.6
		return nil, fmt.Errorf("io_uring_register: %w", err)
	}
	const need = sys.IORING_FEAT_SINGLE_MMAP | sys.IORING_FEAT_NODROP
	if err != nil || p.Features&need != need || !ops[sys.IORING_OP_READ] || !ops[sys.IORING_OP_WRITE] {
		return nil, fmt.Errorf("io_uring is older than Linux 5.6: %w", errors.ErrUnsupported)
	}
	return ops[:], nil
}

// describe notes the kernel's features. It is called once: a lazy ring is opened again while other
// goroutines read these fields.
func (r *Ring) describe(ops []bool, p *sys.UringParams, bounded bool) {
	n := 0
	for _, ok := range ops {
		if ok {
			n++
		}
	}
	r.asyncReads = p.Features&sys.IORING_FEAT_POLL_32BITS != 0
	r.features = append(r.features, fmt.Sprintf("%d kinds of operations", n))
	if r.asyncReads {
		r.features = append(r.features, "asynchronous buffered reads")
	}
	if p.Flags&sys.IORING_SETUP_SUBMIT_ALL != 0 {
		r.features = append(r.features, "whole batches (SUBMIT_ALL)")
	}
	// Before 6.4 the workers make one direct write to a file at a time. An operation that 6.7 has
	// added tells the kernels apart.
	r.parallel = bounded && ops[sys.IORING_OP_READ_MULTISHOT]
	if bounded {
		r.features = append(r.features, "bounded kernel workers")
	}
}

// Info implements driver.Driver.
func (r *Ring) Info() driver.Info {
	info := driver.Info{Name: "uring", Depth: int(r.depth), Features: r.features}
	if r.parallel {
		info.Workers = maxWorkers
	}
	return info
}

// Async implements driver.Driver. All kernels so far use a worker thread for a buffered write (xfs
// only if it would wait) and for an fsync. They also use one for a direct write that extends the
// file, but the driver learns that only later.
func (r *Ring) Async(op *driver.Op) bool {
	switch op.Code {
	case driver.Nop:
		return true
	case driver.Read:
		return r.asyncReads || op.Flags&driver.Direct != 0
	case driver.Write:
		return op.Flags&driver.Direct != 0
	}
	return false
}
