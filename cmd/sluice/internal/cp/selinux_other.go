//go:build !linux

package cp

// hasSELinux is about Linux.
func hasSELinux() bool { return false }
