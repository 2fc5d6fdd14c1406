//go:build !linux

package sys

import "time"

// SleepOnProcessor does nothing here.
func SleepOnProcessor() (took time.Duration, ok bool) { return 0, false }
