//go:build race

package sys

import (
	"runtime"
	"unsafe"
)

// RaceEnabled is true if the race detector is compiled in.
const RaceEnabled = true

// RaceWrite reports to the race detector that the kernel has written b, for the calling
// goroutine.
func RaceWrite(b []byte) {
	if len(b) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&b[0]), len(b))
	}
}

// RaceRead reports to the race detector that the kernel has read b.
func RaceRead(b []byte) {
	if len(b) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&b[0]), len(b))
	}
}
