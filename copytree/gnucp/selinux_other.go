//go:build !linux

package gnucp

// hasSELinux returns false: only Linux has SELinux.
func hasSELinux() bool { return false }
