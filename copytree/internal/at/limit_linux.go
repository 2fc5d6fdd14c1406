//go:build amd64 || arm64

package at

import "golang.org/x/sys/unix"

// Descriptors returns the number of descriptors that the process may have (RLIMIT_NOFILE).
func Descriptors() int {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return defaultDescriptors
	}
	return int(min(limit.Cur, 1<<20))
}
