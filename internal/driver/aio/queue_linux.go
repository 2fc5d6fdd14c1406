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
	// defaultDepth lets 64 queues fit into fs.aio-max-nr as Linux sets it.
	defaultDepth = 1024
	maxDepth     = 16384
)

// Options configures a Queue. The zero value is useful.
type Options struct {
	// Depth is the most operations in flight: 1 to 16384, 0 for 1024. It is rounded up to a power
	// of two. It is lowered if fs.aio-max-nr, which bounds all contexts of the system together, has
	// no room for it.
	Depth int
	// Threads is the most threads of the pool; 0 is the pool's default.
	Threads int
	// Record, if not nil, records the queue's system calls.
	Record *record.Hook
}

// Queue is an AIO context, with a pool beside it, as a driver.Driver.
type Queue struct {
	hook     *record.Hook
	ctx      sys.AioContext
	depth    uint32
	features []string

	// The features of the kernel.
	nowait bool // RWF_NOWAIT for direct reads, which does not fail for cached pages (5.13)
	fsync  bool // IOCB_CMD_FSYNC (4.18)
	statx  bool // statx(2) (4.11), which shows whether a write extends its file

	slots      slots
	iocbs      []sys.Iocb // by slot; Data is the slot's index
	batch      []*sys.Iocb
	plainFiles plainFiles
	fileEnds   fileEnds

	// completed is the event buffer that the kernel maps into the process. Only the
	// goroutine in Reap reads it. If its layout is not known (mapped is false),
	// io_getevents returns the events.
	completed sys.AioRing
	mapped    bool
	events    []sys.IoEvent

	writes   submitters // of direct writes
	finished finished
	pooled   pooled

	// The goroutine in Reap uses these to wait; see await.
	notifier notifier
	wake     atomic.Bool // set by Wake, cleared by the Reap that it ends
	reap     reaping

	closed atomic.Bool
	loss   atomic.Pointer[error] // see lost
}

var _ driver.Driver = (*Queue)(nil)

// New sets up a queue. The error is the kernel's: EPERM or ENOSYS if AIO is
// forbidden or not built in, EAGAIN if fs.aio-max-nr is used up.
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
		Notify:  q.notifier.notify,
		Record:  q.hook,
	}); err != nil {
		q.destroy()
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
	return driver.Info{
		Name: "aio", Depth: int(q.depth), Threads: q.pooled.Info().Threads + maxSubmitters,
		CompletesAlone: true, Features: q.features,
	}
}

// Wake implements driver.Driver.
func (q *Queue) Wake() {
	if !q.wake.Swap(true) {
		q.notifier.notify()
	}
}

// Cancel implements driver.Driver. It ends operations that wait for a submitter or for a thread of
// the pool. No file system supports io_cancel(2), so operations in the kernel go on.
func (q *Queue) Cancel(op *driver.Op) {
	q.writes.cancel(op)
	q.pooled.Cancel(op)
}

// Close implements driver.Driver. It takes about 30 ms: the kernel waits until nothing can use the
// context any more.
func (q *Queue) Close() error {
	if !q.closed.CompareAndSwap(false, true) {
		return nil
	}
	var done [64]*driver.Op
	for q.slots.Busy() > 0 {
		if _, err := q.await(done[:], 1); err != nil && q.lost() == nil {
			return err
		}
	}
	q.writes.goroutines.Wait()
	err := q.pooled.Close()
	return cmp.Or(q.destroy(), err)
}
