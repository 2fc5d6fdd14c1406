//go:build amd64 || arm64

package at

import (
	"time"

	"golang.org/x/sys/unix"
)

// Readable waits until there is something to be read from a FIFO that Open has
// opened, or somebody who wrote to it is gone again, but not longer than most. It
// reports whether that is so: nobody who has not come yet counts as gone (pipe(7)).
func (k *Kernel) Readable(fd int, most time.Duration) bool {
	ready := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(ready, int(most.Milliseconds()))
	return n > 0 || err != nil && err != unix.EINTR
}
