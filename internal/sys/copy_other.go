//go:build !linux

package sys

import "syscall"

// Sendfile is Linux's alone here: it says -ENOSYS.
func Sendfile(int, int, int) int32 { return -int32(syscall.ENOSYS) }
