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

// A queue is lost when io_submit fails for good, or when the number of the
// doorbell's descriptor means another file. The kernel performs what it has taken,
// and the completion ring needs no descriptor. So Reap looks there every now and
// then, until nothing is in flight.

// errDescriptor is why a queue is lost whose eventfd's number means another file.
var errDescriptor = errors.New("the eventfd of the queue was closed by the program")

const (
	ebadf     = -int32(syscall.EBADF)
	ecanceled = -int32(syscall.ECANCELED)
)

// lost is why the queue cannot be used any more; nil while it can.
func (q *Queue) lost() error {
	if err := q.loss.Load(); err != nil {
		return *err
	}
	return nil
}

// lose notes that the queue cannot be used any more. Only the first reason counts.
func (q *Queue) lose(err error) {
	if q.loss.CompareAndSwap(nil, &err) {
		q.bell.ring()
	}
}

// ready reports why the queue cannot be used; nil if it can.
func (q *Queue) ready() error {
	if err := q.bell.ready(); err != nil {
		q.lose(err)
	}
	return q.lost()
}

// refused notes that the queue is lost if that is what io_submit has meant with
// res. It may also be about the operation: then the kernel takes no operation, but
// the call.
func (q *Queue) refused(res int32) bool {
	if (res == ebadf || res == einval) && !q.bell.self.Same() {
		q.lose(errDescriptor)
		return true
	}
	if err := sys.IoSubmitNothing(q.ctx); err != nil {
		q.lose(fmt.Errorf("io_submit: %w", err))
		return true
	}
	return false
}

// withdraw ends what the kernel of a lost queue has not taken.
func (q *Queue) withdraw(batch []*sys.Iocb) {
	for _, c := range batch {
		q.early.put(q.slots.at(c.Data), ecanceled)
	}
}

// reapLost is Reap, which has n operations already, of a lost queue.
func (q *Queue) reapLost(done []*driver.Op, n, need int) (int, error) {
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		n += q.collect(done[n:])
		if n >= need || q.wake.Swap(false) || q.slots.busy() == 0 {
			return n, q.lost()
		}
		time.Sleep(pause)
	}
}
