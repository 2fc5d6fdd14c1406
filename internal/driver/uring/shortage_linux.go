//go:build amd64 || arm64

package uring

import (
	"sync/atomic"
	"syscall"
	"time"
)

// shortageLimit is how long io_uring_enter may fail for want of memory, and not
// once succeed, until the ring is given up. The operations are then performed by
// plain calls, which need less.
const shortageLimit = 10 * time.Second

// shortage is a time in which every call of io_uring_enter fails with an errno that
// is transient as a rule. A seccomp filter may return such an errno for ever: without
// a limit the operations would never end.
type shortage struct {
	since atomic.Int64 // when the first of these calls failed; 0 if the last call succeeded
}

// end notes a call that has succeeded.
func (s *shortage) end() {
	if s.since.Load() != 0 {
		s.since.Store(0)
	}
}

// lasts notes a call that has failed with res at now, in nanoseconds, and reports
// whether shortageLimit is over. waits says that the call was to wait for completions.
//
// Two failures do not count. Each signal ends a call that waits with EINTR; a profiler
// sends a hundred a second. EBUSY means that completions are to be reaped first, and the
// program decides when.
func (s *shortage) lasts(res int32, waits bool, now int64) bool {
	switch syscall.Errno(-res) {
	case syscall.EBUSY:
		return false
	case syscall.EINTR:
		if waits {
			return false
		}
	}
	if s.since.CompareAndSwap(0, now) {
		return false
	}
	since := s.since.Load()
	return since != 0 && now-since > int64(shortageLimit)
}
