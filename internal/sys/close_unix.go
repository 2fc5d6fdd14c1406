//go:build unix

package sys

import "golang.org/x/sys/unix"

// Close is close(2). Its error is not of interest to who has only read, or has
// called fsync(2).
func Close(fd int) { _ = unix.Close(fd) }
