//go:build !linux

package places

import "testing"

// FileSystems is empty outside Linux.
var FileSystems map[string]Make

// Disk returns a temporary directory.
func Disk(t testing.TB) (dir string) {
	t.Helper()
	return t.TempDir()
}

// WatchKernel does nothing: only Linux has the log that it reads.
func WatchKernel(testing.TB, string) {}

// Slow returns a temporary directory.
func Slow(t testing.TB, _, _ int) (dir string) {
	t.Helper()
	return t.TempDir()
}
