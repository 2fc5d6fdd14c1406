//go:build unix

package sys

import (
	"time"

	"golang.org/x/sys/unix"
)

// ProcessorTime returns how much processor time the process has used, or 0 if that is not known.
func ProcessorTime() time.Duration {
	var u unix.Rusage
	if unix.Getrusage(unix.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
