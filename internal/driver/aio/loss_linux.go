//go:build amd64 || arm64

package aio

import (
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// A queue is lost when io_submit fails for good or does nothing, or when another file has the
// eventfd's number. The kernel performs the operations that it has taken, and needs no descriptor
// to post completions. So Reap polls the event buffer until nothing is in flight.

// errDescriptor is the loss of a queue whose eventfd's number another file has.
var errDescriptor = errors.New("the eventfd of the queue was closed by the program")

// errNothing is the loss of a queue from which io_submit takes nothing, without an error.
var errNothing = errors.New("io_submit: nothing was submitted")

const (
	ebadf     = -int32(syscall.EBADF)
	ecanceled = -int32(syscall.ECANCELED)
)

// lost returns the reason why the queue is lost, or nil.
func (q *Queue) lost() error {
	if err := q.loss.Load(); err != nil {
		return *err
	}
	return nil
}

// lose makes the queue lost. Only the first reason counts.
func (q *Queue) lose(err error) {
	if q.loss.CompareAndSwap(nil, &err) {
		q.notifier.notify()
	}
}

// ready opens the eventfd if need be. It returns the reason if the queue is lost, or nil.
func (q *Queue) ready() error {
	if err := q.notifier.ready(); err != nil {
		q.lose(err)
	}
	return q.lost()
}

// lostBy is called when io_submit has failed with res. It reports whether the queue is lost. If
// only the operation is at fault, an io_submit of no operations succeeds.
func (q *Queue) lostBy(res int32) bool {
	if (res == ebadf || res == einval) && !q.notifier.self.Same() {
		q.lose(errDescriptor)
		return true
	}
	if err := sys.IoSubmitNothing(q.ctx); err != nil {
		q.lose(fmt.Errorf("io_submit: %w", err))
		return true
	}
	return false
}

// withdraw ends operations that the kernel has not taken, because the queue is lost.
func (q *Queue) withdraw(batch []*sys.Iocb) {
	for _, c := range batch {
		q.finished.put(q.slots.at(c.Data), ecanceled)
	}
}

// reapLost is Reap of a lost queue. n operations are already in done.
func (q *Queue) reapLost(done []*driver.Op, n, need int) (int, error) {
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		n += q.collect(done[n:])
		if n >= need || q.wake.Swap(false) || q.slots.Busy() == 0 {
			return n, q.lost()
		}
		time.Sleep(pause)
	}
}
