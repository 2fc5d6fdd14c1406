//go:build amd64 || arm64

package uring

import (
	"errors"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// lazyOpen opens a ring only when it is first used (Options.Lazy).
type lazyOpen struct {
	pending atomic.Bool // the ring is not open yet. Written under mu
	mu      sync.Mutex
}

// delay closes the ring, which was never used, until its first use.
func (l *lazyOpen) delay(r *Ring) {
	r.release()
	l.pending.Store(true)
}

// ready reports whether the ring is open. It opens a ring whose opening was delayed. If that fails,
// the ring is lost.
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

// reopen opens a ring like the one that delay has closed. The kernel frees the closed ring some
// time later, and until then its memory may count against RLIMIT_MEMLOCK: hence the pauses.
//
// If others have locked the memory since, reopen does not try fewer places, as New does. The Engine
// divides the places that Info has promised, and leaves some of them to reads. And there is little
// to gain: the smallest ring counts as 8 KiB, and the usual one as 16 KiB.
func (r *Ring) reopen() error {
	err := r.open()
	for pause := time.Millisecond; errors.Is(err, syscall.ENOMEM) && pause < time.Second; pause *= 2 {
		time.Sleep(pause)
		err = r.open()
	}
	return err
}
