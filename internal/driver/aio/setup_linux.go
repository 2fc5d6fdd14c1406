//go:build amd64 || arm64

package aio

import (
	"cmp"
	"fmt"
	"syscall"

	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

const (
	// leastDepth is the smallest context that is worth having beside the pool
	// when fs.aio-max-nr is nearly used up.
	leastDepth = 32
	// eventsMost is how many completions are taken from the ring at once.
	eventsMost = 64
)

// setup makes the context and all that goes with it but the pool.
func (q *Queue) setup(depth uint32) (err error) {
	if q.ctx, q.depth, err = ioSetup(depth, q.ioSetup); err != nil {
		return fmt.Errorf("io_setup: %w", err)
	}
	if q.fsync, err = knowsFsync(q.ctx); err == nil {
		err = allowed()
	}
	if err != nil {
		sys.IoDestroy(q.ctx)
		return err
	}
	q.ends.hook = q.hook
	q.bell.gone = func() { q.lose(errDescriptor) }
	q.ends.find = sys.EndAndDevice
	q.slots.init(q.depth)
	q.iocbs = make([]sys.Iocb, q.depth)
	for i := range q.iocbs {
		q.iocbs[i].Data = uint64(i)
	}
	q.writes.init(q)
	q.batch = make([]*sys.Iocb, 0, q.depth)
	q.events = make([]sys.IoEvent, eventsMost)
	q.ring, q.inRing = q.ctx.Ring()
	q.nowait = atLeast(release(), 5, 13)
	q.sizes = sys.EndOf(-1) == int64(ebadf) // what statx(2) says of no descriptor
	q.reap.ready = q.look
	q.features = q.describe(depth)
	return nil
}

// ioSetup makes a context of the depth asked for, or of a smaller one where
// fs.aio-max-nr has no room.
func ioSetup(depth uint32, setup func(uint32) (sys.AioContext, error)) (sys.AioContext, uint32, error) {
	for {
		ctx, err := setup(depth)
		if err != syscall.EAGAIN || depth <= leastDepth {
			return ctx, depth, err
		}
		depth = max(depth/2, leastDepth)
	}
}

// ioSetup is io_setup(2).
func (q *Queue) ioSetup(depth uint32) (sys.AioContext, error) {
	start := q.hook.Now()
	ctx, err := sys.IoSetup(depth)
	q.call(start, record.Call{Res: result(err), Syscall: record.SysIOSetup})
	return ctx, err
}

// free ends the context and the eventfd. Nothing is in flight.
func (q *Queue) free() error {
	start := q.hook.Now()
	err := sys.IoDestroy(q.ctx)
	q.call(start, record.Call{Res: result(err), Syscall: record.SysIODestroy})
	if q.lost() != nil {
		err = nil // what refuses io_submit refuses this, too
	}
	return cmp.Or(err, q.bell.close())
}

// call records a system call.
func (q *Queue) call(start int64, c record.Call) {
	c.Drv = record.DriverAIO
	q.hook.Call(start, c)
}

// result is a system call's return as records have it.
func result(err error) int32 {
	if e, ok := err.(syscall.Errno); ok {
		return -int32(e)
	}
	return 0
}
