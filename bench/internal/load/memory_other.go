//go:build !linux

package load

// resident is known on Linux only.
func resident() int64 { return 0 }
