package sched

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// cool takes a file that is on disk out of the page cache, where that is possible.
func cool(t *testing.T, f *os.File) {
	t.Helper()
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
}
