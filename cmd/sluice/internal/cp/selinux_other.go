//go:build !linux

package cp

// hasSELinux returns false: only Linux has SELinux.
func hasSELinux() bool { return false }
