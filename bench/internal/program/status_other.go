//go:build !linux

package program

// Look tells nothing.
func Look(int) Peak { return Peak{} }
