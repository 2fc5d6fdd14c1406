//go:build !linux

package places

import "testing"

// FileSystems are Linux's.
var FileSystems map[string]Make

// Disk returns a directory of t's.
func Disk(t testing.TB) (dir string) {
	t.Helper()
	return t.TempDir()
}
