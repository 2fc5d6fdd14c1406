package sys

import (
	"syscall"

	"golang.org/x/sys/windows"
)

// MaxRW is the most bytes of one call, as in internal/poll.
const MaxRW = 1 << 30

func clamp(b []byte) []byte {
	if len(b) > MaxRW {
		return b[:MaxRW]
	}
	return b
}

// result turns the results of x/sys into a kernel result. The end of the file is an error on
// Windows; it becomes 0, as on other systems.
func result(n uint32, err error) int32 {
	switch e, ok := err.(syscall.Errno); {
	case err == nil, err == windows.ERROR_HANDLE_EOF, err == windows.ERROR_BROKEN_PIPE:
		return int32(n)
	case ok:
		return -int32(e)
	}
	return -int32(windows.ERROR_IO_DEVICE)
}

func at(off int64) *windows.Overlapped {
	return &windows.Overlapped{Offset: uint32(off), OffsetHigh: uint32(off >> 32)}
}

// Pread is ReadFile at an offset. Unlike pread(2) it moves the file's position.
func Pread(fd int, b []byte, off int64) int32 {
	var n uint32
	err := windows.ReadFile(windows.Handle(fd), clamp(b), &n, at(off))
	return result(n, err)
}

// Pwrite is WriteFile at an offset. Unlike pwrite(2) it moves the file's position.
func Pwrite(fd int, b []byte, off int64) int32 {
	var n uint32
	err := windows.WriteFile(windows.Handle(fd), clamp(b), &n, at(off))
	return result(n, err)
}

// Read is ReadFile at the file's position.
func Read(fd int, b []byte) int32 {
	var n uint32
	err := windows.ReadFile(windows.Handle(fd), clamp(b), &n, nil)
	return result(n, err)
}

// Write is WriteFile at the file's position.
func Write(fd int, b []byte) int32 {
	var n uint32
	err := windows.WriteFile(windows.Handle(fd), clamp(b), &n, nil)
	return result(n, err)
}

// Fsync is FlushFileBuffers.
func Fsync(fd int) int32 { return result(0, windows.FlushFileBuffers(windows.Handle(fd))) }

// Fdatasync is Fsync.
func Fdatasync(fd int) int32 { return Fsync(fd) }
