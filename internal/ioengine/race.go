package ioengine

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// RaceBefore and RaceAfter report the kernel's accesses to the race detector, as if the
// waiting goroutine had made them. RaceBefore reports them at the beginning, so that a
// conflicting access during the operation is found; RaceAfter reports them at the end.
func RaceBefore(code driver.Code, b []byte) {
	if !sys.RaceEnabled {
		return
	}
	switch code {
	case driver.Read:
		sys.RaceWrite(b)
	case driver.Write:
		sys.RaceRead(b)
	}
}

// RaceAfter reports the accesses at the end; see RaceBefore.
func RaceAfter(code driver.Code, b []byte, res int32) {
	if sys.RaceEnabled && code == driver.Read && res > 0 {
		sys.RaceWrite(b[:res])
	}
}
