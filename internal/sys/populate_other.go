//go:build !linux

package sys

// PopulateRead does nothing: only Linux has it.
func PopulateRead([]byte) error { return nil }
