//go:build linux

// Package linuxaio makes the bare system calls of Linux AIO, for experiments on the calls. It does
// not use sluice's driver. Errors are errnos.
package linuxaio

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// IOCB is struct iocb of linux/aio_abi.h (little-endian, 64 bits).
type IOCB struct {
	Data   uint64
	_      uint32 // aio_key
	_      uint32 // aio_rw_flags
	Opcode uint16
	_      int16 // aio_reqprio
	FD     uint32
	Buf    *byte
	Bytes  uint64
	Offset int64
	_      uint64 // aio_reserved2
	_      uint32 // aio_flags
	_      uint32 // aio_resfd
}

// The opcodes of linux/aio_abi.h.
const (
	Pread  = 0
	Pwrite = 1
)

// Event is struct io_event of linux/aio_abi.h.
type Event struct {
	Data, Obj uint64
	Res, Res2 int64
}

// Context is an aio_context_t.
type Context uintptr

// Setup makes a context with room for depth requests.
func Setup(depth int) (Context, error) {
	var c Context
	_, _, errno := unix.Syscall(unix.SYS_IO_SETUP, uintptr(depth), uintptr(unsafe.Pointer(&c)), 0)
	return c, failed(errno)
}

// Submit submits the request *cb. The kernel expects an array of pointers to requests; cb is an
// array of one.
func (c Context) Submit(cb **IOCB) error {
	_, _, errno := unix.Syscall(unix.SYS_IO_SUBMIT, uintptr(c), 1, uintptr(unsafe.Pointer(cb)))
	return failed(errno)
}

// Getevents waits until there is an event or the timeout is over. It returns the number of events
// that it stored in events. A nil timeout waits for ever.
func (c Context) Getevents(events []Event, timeout *unix.Timespec) (int, error) {
	n, _, errno := unix.Syscall6(unix.SYS_IO_GETEVENTS, uintptr(c), 1, uintptr(len(events)),
		uintptr(unsafe.Pointer(unsafe.SliceData(events))), uintptr(unsafe.Pointer(timeout)), 0)
	return int(n), failed(errno)
}

// Destroy waits for all requests and destroys the context.
func (c Context) Destroy() error {
	_, _, errno := unix.Syscall(unix.SYS_IO_DESTROY, uintptr(c), 0, 0)
	return failed(errno)
}

func failed(errno unix.Errno) error {
	if errno != 0 {
		return errno
	}
	return nil
}
