package sys

import (
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// moment is the argument of SleepOnProcessor's sleep. The kernel adds the thread's timer slack,
// usually 50 µs (prctl(2)).
const moment = 20 * time.Microsecond

// SleepOnProcessor sleeps for a moment, and returns about how long: tens of microseconds. The Go
// scheduler does not know of it, so the goroutine keeps its processor. ok is false if the system
// call fails.
func SleepOnProcessor() (took time.Duration, ok bool) {
	began := time.Now()
	ts := unix.NsecToTimespec(moment.Nanoseconds())
	_, _, errno := unix.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
	return max(moment, time.Since(began)), errno == 0 || errno == unix.EINTR
}
