//go:build !linux

package sys

import "syscall"

// Sendfile returns -ENOSYS: it is for Linux only.
func Sendfile(int, int, int) int32 { return -int32(syscall.ENOSYS) }
