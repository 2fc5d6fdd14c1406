//go:build race

package sys

import (
	"runtime"
	"unsafe"
)

// RaceEnabled tells that the race detector is compiled in.
const RaceEnabled = true

// RaceWrite tells the race detector that the kernel wrote b, on behalf of the
// calling goroutine.
func RaceWrite(b []byte) {
	if len(b) > 0 {
		runtime.RaceWriteRange(unsafe.Pointer(&b[0]), len(b))
	}
}

// RaceRead tells the race detector that the kernel read b.
func RaceRead(b []byte) {
	if len(b) > 0 {
		runtime.RaceReadRange(unsafe.Pointer(&b[0]), len(b))
	}
}
