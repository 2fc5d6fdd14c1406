package slowdisk

import (
	"os"

	"golang.org/x/sys/unix"
)

// dropCache takes a file that is on disk out of the page cache.
func dropCache(f *os.File) error {
	return os.NewSyscallError("fadvise", unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}
