// Package floor copies a tree with as few system calls as possible and without any checks. No copy
// can be much faster, so the `cp-*` experiments show it as a lower bound. It is no copy for users:
// it loses modes, times and links, and stops at the first error.
//
// Each thread takes a directory from a common queue and copies its files alone, because the kernel
// locks a directory while a file is created in it. A file takes openat, read, openat, write and two
// closes.
package floor

import "errors"

// Options are options of Copy.
type Options struct {
	Threads   int  // at least 1
	BlockSize int  // bytes of one read or write, at least 1
	Fsync     bool // call fsync for each file and directory, right after writing it
}

// ErrLinux is the error of Copy on other systems.
var ErrLinux = errors.New("floor needs Linux")
