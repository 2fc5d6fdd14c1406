//go:build !linux

package program

// Look returns zeros: it needs Linux.
func Look(int) Peak { return Peak{} }
