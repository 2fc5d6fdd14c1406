//go:build !unix

package cp

import (
	"strconv"
	"syscall"
)

// errnoName returns the number: the names are Unix's.
func errnoName(e syscall.Errno) string { return strconv.Itoa(int(e)) }
