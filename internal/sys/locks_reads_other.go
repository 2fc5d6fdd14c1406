//go:build !linux

package sys

// LocksReads returns false: it is for Linux only.
func LocksReads(int) bool { return false }

// ReadWouldWait returns false: it is for Linux only.
func ReadWouldWait(int) bool { return false }
