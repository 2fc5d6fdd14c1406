//go:build !unix

package gnucp

import (
	"strconv"
	"syscall"
)

// errnoName returns the number, because the names are those of Unix.
func errnoName(e syscall.Errno) string { return strconv.Itoa(int(e)) }
