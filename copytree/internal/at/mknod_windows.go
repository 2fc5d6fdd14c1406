package at

import "syscall"

// Mknod fails: a source on Windows has no special files.
func (k *Kernel) Mknod(int, Name, uint32, uint64) error { return syscall.EINVAL }
