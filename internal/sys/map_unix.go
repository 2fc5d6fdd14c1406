//go:build unix

package sys

import (
	"os"

	"golang.org/x/sys/unix"
)

// MapNew gives f, which is empty, n bytes, a multiple of the page size, and
// returns them as memory: what is written to it is in the file, however the
// process ends. The memory is there until the process ends.
func MapNew(f *os.File, n int) ([]byte, error) {
	if err := reserve(f, int64(n)); err != nil {
		return nil, err
	}
	b, err := unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, err
	}
	populate(b)
	return b, nil
}

// zeros makes f as long by writing.
func zeros(f *os.File, n int64) error {
	zero := make([]byte, 1<<20)
	for at := int64(0); at < n; {
		m, err := f.WriteAt(zero[:min(n-at, int64(len(zero)))], at)
		if err != nil {
			return err
		}
		at += int64(m)
	}
	return nil
}
