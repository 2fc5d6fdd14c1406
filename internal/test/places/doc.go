// Package places gives tests file systems of their own, on loop devices and in memory. Tests
// are skipped if they need root, or a program that is not installed.
package places

import (
	"os"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// Make makes a new file system of about size bytes, and returns its directory. It is removed at
// the end of the test.
type Make func(t testing.TB, size int64) (dir string)

// Memory returns a directory on tmpfs, which is removed at the end of the test.
func Memory(t testing.TB) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sluice")
	if err != nil {
		skip.For(t, skip.Tmpfs, "no tmpfs: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
