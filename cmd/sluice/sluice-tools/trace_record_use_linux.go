package main

import (
	"errors"

	"golang.org/x/sys/unix"
)

// inUse reports whether a process records into a file. The kernel refuses a lease for reading while
// the file is open or mapped for writing (fcntl(2), F_SETLEASE). The process's number would not do:
// another process may have it by now, and in a namespace of its own the process has another one.
// inUse is false where the file system has no leases.
func inUse(name string) bool {
	fd, err := unix.Open(name, unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	defer unix.Close(fd) // gives the lease back
	_, err = unix.FcntlInt(uintptr(fd), unix.F_SETLEASE, unix.F_RDLCK)
	return errors.Is(err, unix.EAGAIN)
}
