//go:build !linux

package gnucp

// threads returns 0: only Linux reports it.
func threads() int { return 0 }
