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

// A ring is lost when io_uring_enter fails for good, or when another file has its descriptor's
// number. Its memory stays mapped, which keeps the ring alive: the kernel performs the operations
// that it has taken, and posts completions there. So Reap polls until nothing is in flight. SQEs
// that the kernel has not read are withdrawn. No completion waits in the kernel for an
// io_uring_enter, because the CQ never overflows: it has room for each slot, and for all cancels
// and the wake that may be in the ring.
//
// # The order of events
//
// flush increments entering, then reads err; lose writes err. If Reap sees err, and after that
// entering at 0, no call is in progress and none will come: the kernel does not read the SQ any
// more. Stage reads err under sqMu, and Reap locks sqMu after it has seen err. So all SQEs that
// Stage has written before are withdrawn, and Stage writes none later.
type loss struct {
	err atomic.Pointer[error] // the reason; nil while the ring works
	// The fields that each call writes share no cache line with other fields.
	_        [64]byte
	entering atomic.Int32 // calls of io_uring_enter in progress, except Reap's
	// waiting is true while Reap is in io_uring_enter, or about to be. Reap
	// writes it, then reads err; lose writes err, then reads it. One of them
	// sees the other.
	waiting      atomic.Bool
	_            [64]byte
	shortage     shortage
	interrupting sync.WaitGroup // goroutines in interrupt

	emptied   bool         // the SQ stays empty. Used by Reap alone
	withdrawn []*driver.Op // taken out of the SQ, to be returned. Used by Reap alone
}

// errDescriptor is the loss of a ring whose descriptor's number another file has.
var errDescriptor = errors.New("the descriptor of the ring was closed by the program")

// lost returns the reason why the ring is lost, or nil.
func (r *Ring) lost() error {
	if err := r.loss.err.Load(); err != nil {
		return *err
	}
	return nil
}

// lose makes the ring lost. Only the first reason counts.
func (r *Ring) lose(err error) {
	if r.loss.err.CompareAndSwap(nil, &err) && r.loss.waiting.Load() {
		r.loss.interrupting.Go(r.interrupt)
	}
}

// interrupt makes Reap return from io_uring_enter, where it may wait for completions that never
// come.
func (r *Ring) interrupt() {
	for pause := 100 * time.Microsecond; r.loss.waiting.Load(); pause = min(2*pause, 50*time.Millisecond) {
		sys.InterruptThreads()
		time.Sleep(pause)
	}
}

// transient reports whether a later io_uring_enter may succeed after res.
func transient(res int32) bool {
	switch -res {
	case int32(syscall.EINTR), int32(syscall.EBUSY), int32(syscall.EAGAIN), int32(syscall.ENOMEM):
		return true
	}
	return false
}

// notConsumed is called when io_uring_enter has succeeded but taken none of the SQEs. The kernel
// takes at least one, or returns an error. So another ring has the descriptor's number.
func (r *Ring) notConsumed() { r.lose(errDescriptor) }

// ours reports whether the descriptor still belongs to the ring. Before Linux 5.16 all rings have
// the same inode, and a ring of another library looks like this one until notConsumed.
func (r *Ring) ours() bool { return r.lost() != errDescriptor && r.self.Same() }

// reapLost is Reap of a lost ring. n operations are already in done.
func (r *Ring) reapLost(done []*driver.Op, n, need int) (int, error) {
	if r.lazy.pending.Load() {
		return n, r.lost() // it was never open
	}
	for pause := 20 * time.Microsecond; ; pause = min(2*pause, 10*time.Millisecond) {
		r.withdrawStaged()
		k := copy(done[n:], r.loss.withdrawn)
		r.loss.withdrawn = r.loss.withdrawn[k:]
		n += k
		n += r.drain(done[n:])
		if n >= need || r.wokenLost() || r.slots.Busy() == 0 && len(r.loss.withdrawn) == 0 {
			return n, r.lost()
		}
		time.Sleep(pause)
	}
}

// wokenLost consumes a pending Wake. Its CQE may never come.
func (r *Ring) wokenLost() bool {
	woken := r.wake.Swap(0) != 0 || r.woken
	r.woken = false
	return woken
}

// withdrawStaged empties the SQ, once no call of io_uring_enter is in progress.
func (r *Ring) withdrawStaged() {
	if r.loss.emptied || r.loss.entering.Load() > 0 {
		return
	}
	r.sqMu.Lock()
	defer r.sqMu.Unlock()
	r.loss.emptied = true
	head, tail := atomic.LoadUint32(r.sqHead), *r.sqTail
	for ; head != tail; head++ {
		switch token := r.sqes[head&r.sqMask].UserData; token {
		case wakeToken, cancelToken:
		default:
			op := r.slots.release(token)
			op.Res = -int32(syscall.ECANCELED)
			r.loss.withdrawn = append(r.loss.withdrawn, op)
		}
	}
	atomic.StoreUint32(r.sqTail, atomic.LoadUint32(r.sqHead))
}

// descriptors has all open rings, by descriptor. If a new ring gets an open ring's number, the
// program has closed that ring's descriptor.
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

// close closes the ring's descriptor, unless another file has its number.
func (t *ringTable) close(r *Ring) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.rings[r.fd] != r {
		return nil
	}
	delete(t.rings, r.fd)
	if !r.ours() {
		return nil
	}
	return syscall.Close(r.fd)
}
