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

// halve takes every other 8 KiB of a file that is on disk out of the page cache, where that is
// possible.
func halve(t *testing.T, f *os.File) {
	t.Helper()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	fd := int(f.Fd())
	// One page after the other, so that they are no parts of a larger one.
	if err := unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fadvise(fd, 0, 0, unix.FADV_RANDOM); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1)
	for off := int64(0); off < info.Size(); off += 16 << 10 {
		for _, page := range []int64{0, 4 << 10} {
			if _, err := unix.Pread(fd, b, off+page); err != nil {
				t.Fatal(err)
			}
		}
	}
}
