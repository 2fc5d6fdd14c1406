//go:build !linux

package cp

// threads is known on Linux only.
func threads() int { return 0 }
