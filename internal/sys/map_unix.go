//go:build unix

package sys

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// MapCreate creates the file for MapNew; it must not exist. The Go runtime is not told
// of it, which would have it open descriptors of its own that it keeps.
func MapCreate(name string) (*os.File, error) {
	for {
		fd, err := unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL|unix.O_CLOEXEC, 0o666)
		switch err {
		case nil:
			return os.NewFile(uintptr(fd), name), nil
		case unix.EINTR:
		default:
			return nil, &os.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// MapNew returns n bytes of f, which is empty, as memory: what is written to it is in
// the file, however the process ends. n is a multiple of the page size. The memory is
// there until the process ends, but none of it may be touched before MapGrow.
func MapNew(f *os.File, n int) ([]byte, error) {
	if !MapGrows {
		if err := f.Truncate(int64(n)); err != nil {
			return nil, err
		}
	}
	return unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// MapGrow has memory of MapNew be there from off to end, multiples of the page size,
// where none was: the file is as long then, with blocks of its own, so that a full
// disk is an error here, and no signal later.
func MapGrow(f *os.File, b []byte, off, end int) error {
	if err := reserve(f, int64(off), int64(end-off)); err != nil {
		return err
	}
	populate(b[off:end])
	return nil
}

// zeros writes n bytes to f: by system calls, as what os.File does may itself be recorded in
// this memory (package transparent).
func zeros(f *os.File, off, n int64) error {
	zero := make([]byte, min(n, 1<<20))
	for end := off + n; off < end; {
		switch res := Pwrite(int(f.Fd()), zero[:min(end-off, int64(len(zero)))], off); {
		case res == -int32(syscall.EINTR):
		case res < 0:
			return syscall.Errno(-res)
		case res == 0:
			return io.ErrUnexpectedEOF
		default:
			off += int64(res)
		}
	}
	return nil
}
