//go:build unix

package load

import (
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime returns the processor time of this process. On Linux that includes the process's kernel
// worker threads (iou-wrk).
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
