//go:build unix

package sys

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// MapCreate creates the file for MapNew, which must not exist. It does not use os.OpenFile: for
// that the Go runtime would open further descriptors, and keep them.
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

// MapNew maps n bytes of f, which is empty. n must be a multiple of the page size. Writes to the
// memory are in the file, however the process ends. The memory stays mapped until the process ends.
// It must not be used before MapGrow.
func MapNew(f *os.File, n int) ([]byte, error) {
	if !MapGrows {
		if err := f.Truncate(int64(n)); err != nil {
			return nil, err
		}
	}
	return unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
}

// MapGrow makes the memory from off to end usable; both are multiples of the page size. It
// extends the file to end and allocates its blocks, so that a full disk is an error here,
// and not a SIGBUS later.
func MapGrow(f *os.File, b []byte, off, end int) error {
	if err := reserve(f, int64(off), int64(end-off)); err != nil {
		return err
	}
	populate(b[off:end])
	return nil
}

// zeros writes n zero bytes to f by system calls. In a program with package transparent, operations
// of an os.File may be recorded in this very memory.
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
