//go:build amd64 || arm64

package at

import (
	"time"

	"golang.org/x/sys/unix"
)

// Readable waits until a FIFO that Open has opened has data, or until its last writer
// has gone, but no longer than timeout. It reports whether one of these is the case. A
// FIFO that had no writer yet does not count as left by its last one (pipe(7)).
func (k *Kernel) Readable(fd int, timeout time.Duration) bool {
	ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(ready, int(timeout.Milliseconds()))
	return n > 0 || err != nil && err != unix.EINTR
}
