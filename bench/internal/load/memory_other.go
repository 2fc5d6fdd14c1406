//go:build !linux

package load

// resident returns 0: only Linux reports it.
func resident() int64 { return 0 }
