//go:build amd64 || arm64

package aio

import (
	"fmt"
	"math"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// reaping is the state of the goroutine in Reap while it waits.
type reaping struct {
	done    []*driver.Op
	n, need int
	ready   func(fd uintptr) bool // Queue.look, made once: a method value allocates
	again   [1]*driver.Op         // what the pool is given
}

// Reap implements driver.Driver.
func (q *Queue) Reap(done []*driver.Op, need int) (int, error) {
	if q.closed.Load() {
		return 0, driver.ErrClosed
	}
	return q.await(done, need)
}

func (q *Queue) await(done []*driver.Op, need int) (int, error) {
	n := q.collect(done)
	if n >= need {
		return n, q.lost()
	}
	if q.ready() != nil {
		return q.reapLost(done, n, need)
	}
	q.reap.done, q.reap.n, q.reap.need = done, n, need
	err := q.bell.wait(q.reap.ready)
	n, q.reap.done = q.reap.n, nil
	if err != nil {
		q.lose(fmt.Errorf("eventfd: %w", err))
	}
	if q.lost() != nil {
		return q.reapLost(done, n, need)
	}
	return n, nil
}

// look is called by the netpoller's side of wait: it takes what has come and
// reports whether Reap may return.
func (q *Queue) look(uintptr) bool {
	r := &q.reap
	r.n += q.collect(r.done[r.n:])
	return r.n >= r.need || q.lost() != nil || q.wake.CompareAndSwap(true, false)
}

// collect takes completed operations from wherever they may be and reports
// how many.
func (q *Queue) collect(done []*driver.Op) int {
	n := q.early.take(done)
	n += q.pooled.collect(done[n:])
	n += q.landed(done[n:])
	for _, op := range done[:n] {
		q.slots.give(op)
	}
	return n
}

// landed takes what the kernel has completed.
func (q *Queue) landed(done []*driver.Op) int {
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

// completions reads from the ring, at most len(events).
func (q *Queue) completions(events []sys.IoEvent) []sys.IoEvent {
	if q.inRing {
		return events[:q.ring.Take(events)]
	}
	start := q.hook.Now()
	n := sys.IoGetevents(q.ctx, 0, events)
	q.call(start, record.Call{Res: n, Syscall: record.SysIOGetevents})
	return events[:max(0, n)]
}

// end records an operation's result. It returns nil if that is not the end:
// the kernel would have had to wait, and the pool does instead.
func (q *Queue) end(e *sys.IoEvent) *driver.Op {
	op, res := q.slots.at(e.Data), int32(e.Res)
	if res == eagain && q.iocbs[e.Data].RWFlags != 0 {
		if sys.EndOf(int(op.FD)) == math.MaxInt64 {
			q.plain.note(op.FD)
		}
		if op.Flags&driver.NoWait == 0 {
			q.again(op)
			return nil
		}
	}
	if op.Code == driver.Read && res > 0 {
		sys.RaceWrite(op.Buf[:res])
	}
	op.Res = res
	return op
}

// again gives an operation to the pool.
func (q *Queue) again(op *driver.Op) {
	q.reap.again[0] = op
	q.pooled.perform(q.reap.again[:])
	q.reap.again[0] = nil
}
