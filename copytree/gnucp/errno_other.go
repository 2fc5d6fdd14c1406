//go:build !unix

package gnucp

import (
	"strconv"
	"syscall"
)

// errnoName returns the number: only Unix has names for it.
func errnoName(e syscall.Errno) string { return strconv.Itoa(int(e)) }
