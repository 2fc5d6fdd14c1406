//go:build unix && !(linux && (amd64 || arm64))

package sys

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// MaxRW is the most bytes of one call. darwin and freebsd refuse more (internal/poll has the same
// limit).
const MaxRW = 1 << 30

func clamp(b []byte) []byte {
	if len(b) > MaxRW {
		return b[:MaxRW]
	}
	return b
}

// result turns the results of x/sys into a kernel result.
func result(n int, err error) int32 {
	if err == nil {
		return int32(n)
	}
	if e, ok := err.(syscall.Errno); ok {
		return -int32(e)
	}
	return -int32(syscall.EIO)
}

// Pread is pread(2).
func Pread(fd int, b []byte, off int64) int32 { return result(unix.Pread(fd, clamp(b), off)) }

// Pwrite is pwrite(2).
func Pwrite(fd int, b []byte, off int64) int32 { return result(unix.Pwrite(fd, clamp(b), off)) }

// Read is read(2).
func Read(fd int, b []byte) int32 { return result(unix.Read(fd, clamp(b))) }

// Write is write(2).
func Write(fd int, b []byte) int32 { return result(unix.Write(fd, clamp(b))) }
