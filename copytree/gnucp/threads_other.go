//go:build !linux

package gnucp

// threads is known on Linux only.
func threads() int { return 0 }
