//go:build amd64 || arm64

package uring

import (
	"sync/atomic"
	"syscall"
	"time"
)

// shortageLimit is how long io_uring_enter may fail with transient errors, without one success,
// before the ring is lost. Then plain calls perform the operations, which need less memory.
const shortageLimit = 10 * time.Second

// shortage measures for how long every call of io_uring_enter has failed with a transient errno. A
// seccomp filter may return that errno forever: without a limit the operations would never end.
type shortage struct {
	since atomic.Int64 // when the first of these calls failed; 0 if the last call succeeded
}

// ended is called after a call that succeeded.
func (s *shortage) ended() {
	if s.since.Load() != 0 {
		s.since.Store(0)
	}
}

// tooLong reports whether calls have failed for longer than shortageLimit. It is called after a
// call that failed with res at now, in nanoseconds. waits says that the call was to wait for
// completions.
func (s *shortage) tooLong(res int32, waits bool, now int64) bool {
	// Two failures do not count. A signal ends a waiting call with EINTR; a profiler sends a
	// hundred a second. EBUSY means that completions must be reaped first, and the program decides
	// when.
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
