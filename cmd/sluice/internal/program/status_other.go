//go:build !linux

package program

// status tells nothing.
func status(int) Peak { return Peak{} }
