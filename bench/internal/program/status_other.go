//go:build !linux

package program

// Look returns zeroes: it needs Linux.
func Look(int) Peak { return Peak{} }
