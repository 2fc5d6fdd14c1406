//go:build amd64 || arm64

package at

import (
	"errors"
	"strconv"

	"golang.org/x/sys/unix"
)

// Most calls that read or set attributes fail with EBADF on an O_PATH descriptor. They work on its
// link in /proc/self/fd, which leads to the open file itself, whatever has its name by now.

// path returns a path of f for calls that take neither a directory nor an O_PATH descriptor.
func (f File) path() string {
	p := "/proc/self/fd/" + strconv.Itoa(f.FD)
	if f.Name == nil {
		return p
	}
	return p + "/" + f.Name.String()
}

// errNoProc is the error of viaProc without /proc.
var errNoProc = errors.New("the directory is not readable, and /proc is not mounted")

// viaProc repeats a call that has failed with EBADF. do makes the call with the path of f's
// descriptor, and follows it as a symbolic link.
func (f File) viaProc(do func(path string) error) error {
	err := do(f.path())
	if err == unix.ENOENT { // with /proc, an open file has a path even after its removal
		return errNoProc
	}
	return err
}
