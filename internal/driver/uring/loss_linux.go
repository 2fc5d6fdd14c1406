//go:build amd64 || arm64

package uring

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// A ring is lost when io_uring_enter fails for good, or when the number of its
// descriptor means another file. Its memory stays mapped, and with it the ring
// stays alive: the kernel performs what it has taken, and posts completions there.
// So Reap looks there every now and then, until nothing is in flight. SQEs that
// the kernel has not read are withdrawn.
//
// # The order of events
//
// flush raises entering, then reads err; lose writes err. When Reap has seen err,
// and then that entering is 0, no call is in progress and none will be: nobody
// reads the SQ any more. Stage reads err under sqMu, and Reap takes sqMu after it
// has seen err: what Stage has written before is withdrawn, and it writes nothing
// afterwards.
type loss struct {
	err atomic.Pointer[error] // why; nil while the ring works
	// What is written with each call is in a cache line of its own.
	_        [64]byte
	entering atomic.Int32 // calls of io_uring_enter in progress, but for Reap's
	// waiting: Reap waits in io_uring_enter, or is about to. Reap writes it, then
	// reads err; lose writes err, then reads it.
	waiting      atomic.Bool
	_            [64]byte
	shortage     shortage
	interrupting sync.WaitGroup // see interrupt

	settled   bool         // the SQ is empty for good. Reap's
	withdrawn []*driver.Op // out of the SQ, and not returned yet. Reap's
}

// errDescriptor is why a ring is lost whose number means another file.
var errDescriptor = errors.New("the descriptor of the ring was closed by the program")

// lost is why the ring cannot be used any more; nil while it can.
func (r *Ring) lost() error {
	if err := r.loss.err.Load(); err != nil {
		return *err
	}
	return nil
}

// lose notes that the ring cannot be used any more. Only the first reason counts.
func (r *Ring) lose(err error) {
	if r.loss.err.CompareAndSwap(nil, &err) && r.loss.waiting.Load() {
		r.loss.interrupting.Go(r.interrupt)
	}
}

// interrupt has Reap come back from io_uring_enter, where it would wait for what
// the kernel has, and perhaps for nothing.
func (r *Ring) interrupt() {
	for pause := 100 * time.Microsecond; r.loss.waiting.Load(); pause = min(2*pause, 50*time.Millisecond) {
		sys.InterruptThreads()
		time.Sleep(pause)
	}
}

// transient reports whether io_uring_enter fails with res for now only.
func transient(res int32) bool {
	switch -res {
	case int32(syscall.EINTR), int32(syscall.EBUSY), int32(syscall.EAGAIN), int32(syscall.ENOMEM):
		return true
	}
	return false
}

// checkTaken is called when io_uring_enter has said that it succeeded and has
// left the SQ as it was: that is so of another ring with this one's number.
func (r *Ring) checkTaken() {
	if !r.self.Same() {
		r.lose(errDescriptor)
	}
}

// reapLost is Reap, which has n operations already, of a lost ring.
func (r *Ring) reapLost(done []*driver.Op, n, need int) (int, error) {
	if r.late.waits.Load() {
		return n, r.lost() // it was never open
	}
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		r.settle()
		k := copy(done[n:], r.loss.withdrawn)
		r.loss.withdrawn = r.loss.withdrawn[k:]
		n += k
		n += r.drain(done[n:])
		if n >= need || r.wokenLost() || r.slots.busy() == 0 && len(r.loss.withdrawn) == 0 {
			return n, r.lost()
		}
		time.Sleep(pause)
	}
}

// wokenLost takes the Wake that is there, if any. Its CQE may never come.
func (r *Ring) wokenLost() bool {
	woken := r.wake.Swap(0) != 0 || r.woken
	r.woken = false
	return woken
}

// settle empties the SQ, once nobody is in io_uring_enter any more.
func (r *Ring) settle() {
	if r.loss.settled || r.loss.entering.Load() > 0 {
		return
	}
	r.sqMu.Lock()
	defer r.sqMu.Unlock()
	r.loss.settled = true
	head, tail := atomic.LoadUint32(r.sqHead), *r.sqTail
	for ; head != tail; head++ {
		switch token := r.sqes[head&r.sqMask].UserData; token {
		case wakeToken, cancelToken:
		default:
			op := r.slots.give(token)
			op.Res = -int32(syscall.ECANCELED)
			if op.Head != nil {
				op = chainEnded(op)
			}
			if op != nil {
				r.loss.withdrawn = append(r.loss.withdrawn, op)
			}
		}
	}
	atomic.StoreUint32(r.sqTail, atomic.LoadUint32(r.sqHead))
}

// descriptors are those of all rings, by their number. A new ring that is given
// the number of another shows that that one's descriptor was closed.
var descriptors = ringTable{rings: make(map[int]*Ring)}

type ringTable struct {
	mu    sync.Mutex
	rings map[int]*Ring // under mu
}

func (t *ringTable) add(r *Ring) {
	t.mu.Lock()
	other := t.rings[r.fd]
	t.rings[r.fd] = r
	t.mu.Unlock()
	if other != nil {
		other.lose(errDescriptor)
	}
}

// close closes the ring's descriptor, unless it means another file by now.
func (t *ringTable) close(r *Ring) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rings[r.fd] != r {
		return nil
	}
	delete(t.rings, r.fd)
	if !r.self.Same() {
		return nil
	}
	return syscall.Close(r.fd)
}
