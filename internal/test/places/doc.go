// Package places gives tests new file systems, on loop devices and in memory. A test is skipped if
// it needs root, or a program that is not installed.
package places

import (
	"os"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// Make makes a new file system of about size bytes, and returns its directory. The end of the test
// removes it.
type Make func(t testing.TB, size int64) (dir string)

// Memory returns a directory on tmpfs. The end of the test removes it.
func Memory(t testing.TB) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sluice")
	if err != nil {
		skip.For(t, skip.Tmpfs, "no tmpfs: ", err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
