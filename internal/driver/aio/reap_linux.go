//go:build amd64 || arm64

package aio

import (
	"fmt"
	"math"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// reaping is the state of a Reap while it waits.
type reaping struct {
	done    []*driver.Op
	n, need int
	ready   func(fd uintptr) bool // Queue.poll; made once, as a method value allocates
	one     [1]*driver.Op         // the argument for the pool
}

// Reap implements driver.Driver.
func (q *Queue) Reap(done []*driver.Op, need int) (int, error) {
	if q.closed.Load() {
		return 0, driver.ErrClosed
	}
	return q.await(done, need)
}

// await moves completed operations to done, and waits until there are need of them.
func (q *Queue) await(done []*driver.Op, need int) (int, error) {
	n := q.collect(done)
	if n >= need {
		return n, q.lost()
	}
	if q.ready() != nil {
		return q.reapLost(done, n, need)
	}
	q.reap.done, q.reap.n, q.reap.need = done, n, need
	err := q.notifier.wait(q.reap.ready)
	n, q.reap.done = q.reap.n, nil
	if err != nil {
		q.lose(fmt.Errorf("eventfd: %w", err))
	}
	if q.lost() != nil {
		return q.reapLost(done, n, need)
	}
	return n, nil
}

// poll takes completed operations and reports whether Reap may return. The netpoller calls it,
// through notifier.wait.
func (q *Queue) poll(uintptr) bool {
	r := &q.reap
	r.n += q.collect(r.done[r.n:])
	return r.n >= r.need || q.lost() != nil || q.wake.CompareAndSwap(true, false)
}

// collect moves completed operations to done, wherever they completed, and returns
// their number.
func (q *Queue) collect(done []*driver.Op) int {
	n := q.finished.take(done)
	n += q.pooled.collect(done[n:])
	n += q.collectContext(done[n:])
	for _, op := range done[:n] {
		q.slots.release(op)
	}
	return n
}

// collectContext moves the operations that the kernel has completed to done.
func (q *Queue) collectContext(done []*driver.Op) int {
	n := 0
	for n < len(done) {
		want := min(len(q.events), len(done)-n)
		events := q.completions(q.events[:want])
		for i := range events {
			if op := q.end(&events[i]); op != nil {
				done[n] = op
				n++
			}
		}
		if len(events) < want {
			break
		}
	}
	return n
}

// completions returns events of the context, at most len(events).
func (q *Queue) completions(events []sys.IoEvent) []sys.IoEvent {
	if q.mapped {
		return events[:q.completed.Take(events)]
	}
	start := q.hook.Now()
	n := sys.IoGetevents(q.ctx, 0, events)
	q.call(start, record.Call{Res: n, Syscall: record.SysIOGetevents})
	return events[:max(0, n)]
}

// end sets an operation's result. It returns nil if the operation goes on in the
// pool, because the kernel would have had to wait.
func (q *Queue) end(e *sys.IoEvent) *driver.Op {
	op, res := q.slots.at(e.Data), int32(e.Res)
	if res == eagain && q.iocbs[e.Data].RWFlags != 0 {
		if sys.EndOf(int(op.FD)) == math.MaxInt64 {
			q.plainFiles.note(op.FD)
		}
		if op.Flags&driver.NoWait == 0 {
			q.retryInPool(op)
			return nil
		}
	}
	if op.Code == driver.Read && res > 0 {
		sys.RaceWrite(op.Buf[:res])
	}
	op.Res = res
	return op
}

// retryInPool gives an operation to the pool.
func (q *Queue) retryInPool(op *driver.Op) {
	q.reap.one[0] = op
	q.pooled.perform(q.reap.one[:])
	q.reap.one[0] = nil
}
