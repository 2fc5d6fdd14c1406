//go:build amd64 || arm64

package aio

import (
	"cmp"
	"fmt"
	"math/bits"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

const (
	// defaultDepth is how many operations a Queue has in flight unless told.
	// 64 such queues fit into fs.aio-max-nr as Linux sets it.
	defaultDepth = 1024
	maxDepth     = 16384
)

// Options configures a Queue. The zero value is useful.
type Options struct {
	// Depth is the most operations in flight: 1 to 16384, 0 for 1024. It is
	// rounded up to a power of two, and is less where fs.aio-max-nr, which
	// bounds all contexts of the system together, has no room for it.
	Depth int
	// Threads is the most threads that the pool occupies; 0 is the pool's
	// default.
	Threads int
	// Record is who records the queue's system calls; nil is nobody.
	Record *record.Hook
}

// Queue is an AIO context, with a pool beside it, as a driver.Driver.
type Queue struct {
	hook     *record.Hook
	ctx      sys.AioContext
	depth    uint32
	features []string

	// What the kernel has.
	nowait bool // direct reads with RWF_NOWAIT that do not mind cached pages (5.13)
	fsync  bool // IOCB_CMD_FSYNC (4.18)
	sizes  bool // statx(2) (4.11), which tells whether a write extends a file

	slots slots
	iocbs []sys.Iocb // by slot, whose index is Data
	batch []*sys.Iocb
	plain plain
	ends  ends

	// ring is read by the goroutine in Reap. Without one (inRing is false)
	// events come by io_getevents.
	ring   sys.AioRing
	inRing bool
	events []sys.IoEvent

	writes submitters // of direct writes
	early  early
	pooled pooled

	// What the goroutine in Reap waits with; see await.
	bell doorbell
	wake atomic.Bool // set by Wake, cleared by the Reap that returns for it
	reap reaping

	closed atomic.Bool
	loss   atomic.Pointer[error] // see lost
}

var _ driver.Driver = (*Queue)(nil)

// New sets up a queue. The error is the kernel's: EPERM or ENOSYS where AIO
// is forbidden or not built in, EAGAIN where fs.aio-max-nr is used up.
func New(o Options) (*Queue, error) {
	depth, err := o.check()
	if err != nil {
		return nil, err
	}
	q := &Queue{hook: cmp.Or(o.Record, new(record.Hook))}
	if err := q.setup(depth); err != nil {
		return nil, err
	}
	if err := q.pooled.init(pool.Options{
		Threads: o.Threads,
		Depth:   int(q.depth),
		Notify:  q.bell.ring,
		Record:  q.hook,
	}); err != nil {
		q.free()
		return nil, err
	}
	return q, nil
}

func (o Options) check() (depth uint32, err error) {
	if o.Depth < 0 || o.Depth > maxDepth {
		return 0, fmt.Errorf("aio: Depth %d is not between 0 and %d", o.Depth, maxDepth)
	}
	if o.Threads < 0 {
		return 0, fmt.Errorf("aio: Threads %d is negative", o.Threads)
	}
	if o.Depth == 0 {
		return defaultDepth, nil
	}
	return 1 << bits.Len32(uint32(o.Depth)-1), nil
}

// Info implements driver.Driver.
func (q *Queue) Info() driver.Info {
	return driver.Info{Name: "aio", Depth: int(q.depth), Threads: q.pooled.Info().Threads + submittersMost, Features: q.features}
}

// Wake implements driver.Driver.
func (q *Queue) Wake() {
	if !q.wake.Swap(true) {
		q.bell.ring()
	}
}

// Cancel implements driver.Driver. It reaches what waits for a submitter or for one of
// the pool's threads; no file system lets io_cancel end what the kernel has.
func (q *Queue) Cancel(op *driver.Op) {
	q.writes.cancel(op)
	q.pooled.Cancel(op)
}

// Close implements driver.Driver. It takes some 30 ms: so long the kernel needs
// to be sure that nobody uses the context any more.
func (q *Queue) Close() error {
	if !q.closed.CompareAndSwap(false, true) {
		return nil
	}
	var done [64]*driver.Op
	for q.slots.busy() > 0 {
		if _, err := q.await(done[:], 1); err != nil && q.lost() == nil {
			return err
		}
	}
	q.writes.live.Wait()
	err := q.pooled.Close()
	return cmp.Or(q.free(), err)
}
