//go:build !linux

package load

// resident returns 0: it is known on Linux only.
func resident() int64 { return 0 }
