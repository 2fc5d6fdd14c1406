//go:build !linux

package sys

// ThreadWaits returns false: the answer is not known on this system.
func ThreadWaits() (n int64, ok bool) { return 0, false }
