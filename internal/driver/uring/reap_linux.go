//go:build amd64 || arm64

package uring

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// Reap implements driver.Driver. The system call that waits also submits staged operations.
func (r *Ring) Reap(done []*driver.Op, need int) (int, error) {
	if r.closed.Load() {
		return 0, driver.ErrClosed
	}
	if r.lost() != nil || !r.ready() {
		return r.reapLost(done, 0, need)
	}
	n := r.drain(done)
	if need > 0 && n >= need {
		r.waits.foundAll()
	}
	for n < need {
		if r.woken {
			r.woken = false
			r.wake.Store(0)
			return n, nil
		}
		r.wait(uint32(need - n))
		if r.lost() != nil {
			return r.reapLost(done, n, need)
		}
		n += r.drain(done[n:])
	}
	if r.staged() > 0 {
		r.flush()
	}
	return n, r.lost()
}

// wait submits staged operations and waits for that many CQEs, or for fewer if a signal comes. The
// caller counts them.
func (r *Ring) wait(cqes uint32) {
	head, n := atomic.LoadUint32(r.sqHead), r.staged()
	r.loss.waiting.Store(true)
	before, sampled := r.waits.begin()
	res := r.enter(n, cqes, sys.IORING_ENTER_GETEVENTS)
	if sampled {
		r.waits.end(before)
	}
	r.loss.waiting.Store(false)
	switch {
	case res == -int32(syscall.EAGAIN), res == -int32(syscall.ENOMEM):
		time.Sleep(50 * time.Microsecond) // the kernel is short of memory
	case res >= 0 && n > 0 && atomic.LoadUint32(r.sqHead) == head:
		r.notConsumed()
	}
}

// drain moves completed operations to done, and returns their number.
func (r *Ring) drain(done []*driver.Op) int {
	n, head := 0, *r.cqHead
	for tail := atomic.LoadUint32(r.cqTail); head != tail && n < len(done); head++ {
		e := r.cqes[head&r.cqMask]
		switch e.UserData {
		case wakeToken:
			r.woken = true
		case cancelToken:
			r.cancels.Add(-1)
		default:
			op := r.slots.release(e.UserData)
			op.Res = e.Res
			done[n] = op
			n++
		}
	}
	atomic.StoreUint32(r.cqHead, head)
	return n
}

// Close implements driver.Driver.
func (r *Ring) Close() error {
	if !r.closed.CompareAndSwap(false, true) {
		return nil
	}
	if !r.lazy.pending.Load() {
		r.drainAll()
	}
	r.loss.interrupting.Wait()
	if r.lazy.pending.Load() {
		return nil
	}
	return r.release()
}

// drainAll waits until nothing is in flight.
func (r *Ring) drainAll() {
	var done [64]*driver.Op
	for r.slots.Busy() > 0 || len(r.loss.withdrawn) > 0 {
		if r.lost() != nil {
			_, _ = r.reapLost(done[:], 0, 1)
		} else if r.drain(done[:]) == 0 {
			r.wait(1)
		}
	}
}
