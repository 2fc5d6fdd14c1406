// Package places gives tests file systems of their own, on loop devices, and
// memory. What needs root, or a program that is not there, skips the test.
package places

import (
	"os"
	"testing"
)

// Make makes a new file system of about so many bytes, which is gone at the end
// of the test, and returns its directory.
type Make func(t testing.TB, size int64) (dir string)

// Memory returns a directory on tmpfs.
func Memory(t testing.TB) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sluice")
	if err != nil {
		t.Skip("no tmpfs: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
