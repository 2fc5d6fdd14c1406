//go:build amd64 || arm64

package uring

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/sys"
)

// lazyOpen opens a ring only when it is first used (Options.Lazy).
type lazyOpen struct {
	pending atomic.Bool // the ring is not open yet. Written under mu
	mu      sync.Mutex
}

// delay has the ring opened when it is first used. A ring that New has opened was never used,
// and is closed.
func (l *lazyOpen) delay(r *Ring) {
	if r.fd >= 0 {
		r.release()
	}
	l.pending.Store(true)
}

// certain reports whether New need not open a ring of that depth to know that one can be
// opened. To open and close one takes a fifth of a millisecond, which is much for a program
// that reads one file.
func certain(depth uint32) bool {
	var locked unix.Rlimit
	return unix.Getrlimit(unix.RLIMIT_MEMLOCK, &locked) == nil && enoughLocked(depth, locked.Cur) && sys.UringCertain()
}

// enoughLocked reports whether a process that may lock that much memory can surely open a ring
// of that depth. On some kernels rings count, those of the user's other processes included. So
// there must be room for 16 of them.
func enoughLocked(depth uint32, limit uint64) bool {
	size := uint64(depth) * uint64(unsafe.Sizeof(sys.SQE{})+2*unsafe.Sizeof(sys.CQE{})+4)
	return limit >= 16*size
}

// ready reports whether the ring is open. It opens a ring whose opening was
// delayed. If that fails, the ring is lost.
func (r *Ring) ready() bool { return !r.lazy.pending.Load() || r.openNow() }

func (r *Ring) openNow() bool {
	l := &r.lazy
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.pending.Load() {
		return true
	}
	if r.lost() != nil || r.closed.Load() {
		return false
	}
	if err := r.reopen(); err != nil {
		r.lose(err)
		return false
	}
	l.pending.Store(false)
	return true
}

// reopen opens a ring like the one that delay has closed. The kernel frees
// that some time later, and until then its memory may count against
// RLIMIT_MEMLOCK: hence the pauses.
func (r *Ring) reopen() error {
	err := r.open(0)
	for pause := time.Millisecond; errors.Is(err, syscall.ENOMEM) && pause < time.Second; pause *= 2 {
		time.Sleep(pause)
		err = r.open(0)
	}
	return err
}
