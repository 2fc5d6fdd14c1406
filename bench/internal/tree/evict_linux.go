package tree

import (
	"os"

	"golang.org/x/sys/unix"
)

func evict(f *os.File) error {
	return os.NewSyscallError("fadvise", unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED))
}
