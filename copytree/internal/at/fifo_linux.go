//go:build amd64 || arm64

package at

import (
	"time"

	"golang.org/x/sys/unix"
)

// Readable waits until a FIFO from Open has data or its last writer is gone, at most for timeout.
// It reports whether one of them happened. A FIFO that never had a writer has not lost its last one
// (pipe(7)).
func (k *Kernel) Readable(fd int, timeout time.Duration) bool {
	ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(ready, int(timeout.Milliseconds()))
	return n > 0 || err != nil && err != unix.EINTR
}
