//go:build amd64 || arm64

package aio

import (
	"cmp"
	"errors"
	"fmt"
	"syscall"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

const (
	// minDepth is the least useful depth, when fs.aio-max-nr is nearly used up.
	minDepth = 32
	// maxEvents is the most completions that are taken at a time.
	maxEvents = 64
)

// setup makes the context, and everything else but the pool.
func (q *Queue) setup(depth uint32) (err error) {
	if q.ctx, q.depth, err = ioSetup(depth, q.ioSetup); err != nil {
		return fmt.Errorf("io_setup: %w", err)
	}
	if q.fsync, err = knowsFsync(q.ctx); err == nil {
		err = probeEventfd()
	}
	if err != nil {
		sys.IoDestroy(q.ctx)
		return err
	}
	q.fileEnds.hook = q.hook
	q.notifier.gone = func() { q.lose(errDescriptor) }
	q.fileEnds.lookup = sys.EndAndDevice
	q.slots.init(q.depth)
	q.iocbs = make([]sys.Iocb, q.depth)
	for i := range q.iocbs {
		q.iocbs[i].Data = uint64(i)
	}
	q.writes.init(q)
	q.batch = make([]*sys.Iocb, 0, q.depth)
	q.events = make([]sys.IoEvent, maxEvents)
	q.completed, q.mapped = q.ctx.Ring()
	q.nowait = atLeast(release(), 5, 13)
	q.statx = sys.EndOf(-1) == int64(ebadf) // statx(2) exists if it refuses this descriptor
	q.reap.ready = q.poll
	q.features = q.describe(depth)
	return nil
}

// ioSetup makes a context of that depth, or of a smaller one if fs.aio-max-nr has no
// room.
func ioSetup(depth uint32, setup func(uint32) (sys.AioContext, error)) (sys.AioContext, uint32, error) {
	for {
		ctx, err := setup(depth)
		if err != syscall.EAGAIN || depth <= minDepth {
			return ctx, depth, err
		}
		depth = max(depth/2, minDepth)
	}
}

// ioSetup is io_setup(2).
func (q *Queue) ioSetup(depth uint32) (sys.AioContext, error) {
	start := q.hook.Now()
	ctx, err := sys.IoSetup(depth)
	q.call(start, record.Call{Res: sys.Result(0, err), Syscall: record.SysIOSetup})
	return ctx, err
}

// destroy destroys the context and closes the eventfd. Nothing may be in flight.
func (q *Queue) destroy() error {
	start := q.hook.Now()
	err := sys.IoDestroy(q.ctx)
	q.call(start, record.Call{Res: sys.Result(0, err), Syscall: record.SysIODestroy})
	if q.lost() != nil || errors.Is(err, syscall.ENOSYS) || errors.Is(err, syscall.EPERM) {
		// A filter that refuses io_submit refuses io_destroy, too. It may have come after the last
		// operation. The kernel destroys the context when the process ends.
		err = nil
	}
	return cmp.Or(err, q.notifier.close())
}

// call records a system call.
func (q *Queue) call(start int64, c record.Call) {
	c.Drv = record.DriverAIO
	q.hook.Call(start, c)
}
