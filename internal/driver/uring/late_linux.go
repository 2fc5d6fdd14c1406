//go:build amd64 || arm64

package uring

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// late opens a ring only when it is first used (Options.Late).
type late struct {
	waits atomic.Bool // the ring is not open yet. Written under mu
	mu    sync.Mutex
}

// delay closes the ring, which was never used, until its first use.
func (l *late) delay(r *Ring) {
	r.release()
	l.waits.Store(true)
}

// ready reports whether the ring is open. It opens a ring whose opening was
// delayed. If that fails, the ring is lost.
func (r *Ring) ready() bool { return !r.late.waits.Load() || r.openLate() }

func (r *Ring) openLate() bool {
	l := &r.late
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.waits.Load() {
		return true
	}
	if r.lost() != nil || r.closed.Load() {
		return false
	}
	if err := r.openAgain(); err != nil {
		r.lose(err)
		return false
	}
	l.waits.Store(false)
	return true
}

// openAgain opens a ring like the one that delay has closed. The kernel frees
// that some time later, and until then its memory may count against
// RLIMIT_MEMLOCK: hence the pauses.
func (r *Ring) openAgain() error {
	err := r.open(0)
	for pause := time.Millisecond; errors.Is(err, syscall.ENOMEM) && pause < time.Second; pause *= 2 {
		time.Sleep(pause)
		err = r.open(0)
	}
	return err
}
