//go:build unix

package gnucp

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// errnoName returns the name of an error number, as in "EACCES".
func errnoName(e syscall.Errno) string { return unix.ErrnoName(e) }
