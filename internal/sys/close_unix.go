//go:build unix

package sys

import "golang.org/x/sys/unix"

// Close is close(2). It ignores the error, which does not matter after reads, or after an
// fsync(2).
func Close(fd int) { _ = unix.Close(fd) }
