package testenv

import "golang.org/x/sys/unix"

// DropCache asks the kernel to drop the pages of a file.
func DropCache(fd int) error { return unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED) }
