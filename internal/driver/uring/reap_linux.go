//go:build amd64 || arm64

package uring

import (
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// Reap implements driver.Driver. What is staged is submitted by the same
// system call that waits.
func (r *Ring) Reap(done []*driver.Op, need int) (int, error) {
	if r.closed.Load() {
		return 0, driver.ErrClosed
	}
	n := r.drain(done)
	for n < need {
		if r.woken {
			r.woken = false
			r.wake.Store(0)
			return n, nil
		}
		r.enter(uint32(need - n))
		n += r.drain(done[n:])
	}
	if r.staged() > 0 {
		r.flush()
	}
	return n, nil
}

// enter submits what is staged and waits for at least wait CQEs, or for less
// after a signal: its caller counts.
func (r *Ring) enter(wait uint32) {
	n := r.staged()
	res := r.uringEnter(n, wait, sys.IORING_ENTER_GETEVENTS)
	switch {
	case res >= 0, res == -int32(syscall.EINTR), res == -int32(syscall.EBUSY):
	case res == -int32(syscall.EAGAIN):
		time.Sleep(50 * time.Microsecond) // no memory for requests: later
	default:
		panic("uring: io_uring_enter: " + syscall.Errno(-res).Error() + ": the ring is gone")
	}
}

// drain takes the completions that are there, at most len(done).
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
			op := r.slots.give(e.UserData)
			op.Res = e.Res
			if op.Head != nil {
				if op = chainEnded(op); op == nil {
					continue
				}
			}
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
	var done [64]*driver.Op
	for r.slots.busy() > 0 {
		if r.drain(done[:]) == 0 {
			r.enter(1)
		}
	}
	return r.release()
}
