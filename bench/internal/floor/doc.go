// Package floor copies a tree with as few system calls as that takes and no
// checks at all: what no copy can be much quicker than. It is a yardstick for
// benchmarks, and loses all that makes a copy one: modes, times, links, errors
// of single files.
//
// Threads take directories from one queue and copy the files in each alone:
// files of one directory cannot be made by two threads at once, the kernel locks
// it. A file is openat, read, openat, write and two closes.
package floor

import "errors"

// Options say how.
type Options struct {
	Threads   int  // that copy, at least 1
	BlockSize int  // bytes of one read and write, at least 1
	Fsync     bool // of each file and directory, right after it is written
}

// ErrLinux is what Copy returns on other systems.
var ErrLinux = errors.New("the floor is made of system calls of Linux")
