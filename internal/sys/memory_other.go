//go:build !linux

package sys

// Memory returns 0: it is not known on this system.
func Memory() int64 { return 0 }

// MemoryAndSwap returns 0: it is not known on this system.
func MemoryAndSwap() int64 { return 0 }
