//go:build amd64 || arm64

package sys

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The io_uring ABI, from include/uapi/linux/io_uring.h (Linux 6.18). The names are the kernel's.
// Unused parts are left out.

// Opcodes of an SQE.
const (
	IORING_OP_NOP          = 0
	IORING_OP_FSYNC        = 3
	IORING_OP_READ_FIXED   = 4
	IORING_OP_WRITE_FIXED  = 5
	IORING_OP_ASYNC_CANCEL = 14
	IORING_OP_READ         = 22 // 5.6
	IORING_OP_WRITE        = 23 // 5.6

	IORING_OP_READ_MULTISHOT = 49 // 6.7
)

// IORING_FSYNC_DATASYNC makes IORING_OP_FSYNC an fdatasync.
const IORING_FSYNC_DATASYNC = 1

// Flags of io_uring_setup.
const (
	IORING_SETUP_CQSIZE     = 1 << 3 // 5.5
	IORING_SETUP_CLAMP      = 1 << 4 // 5.6
	IORING_SETUP_SUBMIT_ALL = 1 << 7 // 5.18: one bad SQE does not stop a batch
)

// Features that io_uring_setup reports.
const (
	IORING_FEAT_SINGLE_MMAP = 1 << 0 // 5.4
	IORING_FEAT_NODROP      = 1 << 1 // 5.5: completions are never lost
	IORING_FEAT_RW_CUR_POS  = 1 << 3 // 5.6
	IORING_FEAT_POLL_32BITS = 1 << 6 // 5.9
)

// IORING_ENTER_GETEVENTS makes io_uring_enter wait for completions.
const IORING_ENTER_GETEVENTS = 1

// Opcodes of io_uring_register.
const (
	IORING_UNREGISTER_BUFFERS               = 1
	IORING_REGISTER_PROBE                   = 8  // 5.6
	IORING_REGISTER_BUFFERS2                = 15 // 5.13
	IORING_REGISTER_BUFFERS_UPDATE          = 16 // 5.13
	IORING_REGISTER_IOWQ_MAX_WORKERS        = 19 // 5.15
	ioUringProbeOps                         = 256
	ioUringOpSupported               uint16 = 1
)

// Offsets at which the parts of a ring are mapped.
const (
	IORING_OFF_SQ_RING = 0
	IORING_OFF_SQES    = 0x10000000
)

// SQE is struct io_uring_sqe: a submission, 64 bytes.
type SQE struct {
	Opcode      uint8
	Flags       uint8
	Ioprio      uint16
	FD          int32
	Off         uint64
	Addr        uint64
	Len         uint32
	OpFlags     uint32 // rw_flags, fsync_flags, cancel_flags …
	UserData    uint64
	BufIndex    uint16
	Personality uint16
	SpliceFD    int32
	_           [2]uint64
}

// CQE is struct io_uring_cqe: a completion, 16 bytes.
type CQE struct {
	UserData uint64
	Res      int32
	Flags    uint32
}

// UringParams is struct io_uring_params.
type UringParams struct {
	SQEntries, CQEntries, Flags         uint32
	SQThreadCPU, SQThreadIdle, Features uint32
	WQFD                                uint32
	_                                   [3]uint32
	SQOff                               SQRingOffsets
	CQOff                               CQRingOffsets
}

// SQRingOffsets is struct io_sqring_offsets.
type SQRingOffsets struct {
	Head, Tail, RingMask, RingEntries, Flags, Dropped, Array, _ uint32
	UserAddr                                                    uint64
}

// CQRingOffsets is struct io_cqring_offsets.
type CQRingOffsets struct {
	Head, Tail, RingMask, RingEntries, Overflow, CQEs, Flags, _ uint32
	UserAddr                                                    uint64
}

// UringSetup is io_uring_setup(2). The descriptor is close-on-exec.
func UringSetup(entries uint32, p *UringParams) (int, error) {
	fd, _, e := syscall.Syscall(unix.SYS_IO_URING_SETUP, uintptr(entries), uintptr(unsafe.Pointer(p)), 0)
	if e != 0 {
		return -1, e
	}
	return int(fd), nil
}

// UringEnter is io_uring_enter(2). It submits up to submit SQEs and, with
// IORING_ENTER_GETEVENTS, waits for wait CQEs. It returns the number of SQEs that the kernel
// has consumed, or a negated errno.
func UringEnter(fd int, submit, wait, flags uint32) int32 {
	r, _, e := syscall.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(fd), uintptr(submit), uintptr(wait), uintptr(flags), 0, 0)
	return result(r, e)
}

// UringProbe returns which opcodes the kernel has (IORING_REGISTER_PROBE).
func UringProbe(fd int) (supported [ioUringProbeOps]bool, err error) {
	// struct io_uring_probe and its array of struct io_uring_probe_op.
	var probe struct {
		lastOp, opsLen uint8
		_              uint16
		_              [3]uint32
		ops            [ioUringProbeOps]struct {
			op, _ uint8
			flags uint16
			_     uint32
		}
	}
	_, _, e := syscall.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(fd), IORING_REGISTER_PROBE, uintptr(unsafe.Pointer(&probe)), ioUringProbeOps, 0, 0)
	if e != 0 {
		return supported, e
	}
	for i := range probe.ops {
		supported[i] = probe.ops[i].flags&ioUringOpSupported != 0
	}
	return supported, nil
}

// UringMaxWorkers limits the kernel's worker threads of this ring, for each thread that
// submits (IORING_REGISTER_IOWQ_MAX_WORKERS, Linux 5.15). Bounded workers serve files,
// unbounded ones everything else.
func UringMaxWorkers(fd int, bounded, unbounded uint32) error {
	n := [2]uint32{bounded, unbounded}
	_, _, e := syscall.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(fd), IORING_REGISTER_IOWQ_MAX_WORKERS, uintptr(unsafe.Pointer(&n)), 2, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// uringRsrcRegister is struct io_uring_rsrc_register. Data has a pointer type, so that the Go
// runtime adjusts it when the stack moves.
type uringRsrcRegister struct {
	Nr, Flags uint32
	_         uint64
	Data      *syscall.Iovec
	Tags      uint64
}

// uringRsrcUpdate is struct io_uring_rsrc_update2.
type uringRsrcUpdate struct {
	Offset, _ uint32
	Data      *syscall.Iovec
	Tags      uint64
	Nr, _     uint32
}

// UringBufferTable gives a ring a table of n empty buffers (IORING_REGISTER_BUFFERS2, Linux
// 5.13). Kernels from 5.19 on have a flag for an empty table, but all take empty entries.
func UringBufferTable(fd, n int) error {
	iovs := make([]syscall.Iovec, n)
	arg := &uringRsrcRegister{Nr: uint32(n), Data: unsafe.SliceData(iovs)}
	_, _, e := syscall.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(fd), IORING_REGISTER_BUFFERS2, uintptr(unsafe.Pointer(arg)), unsafe.Sizeof(*arg), 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// UringSetBuffer puts b into an entry of the ring's table, or empties the entry if b is empty
// (IORING_REGISTER_BUFFERS_UPDATE, Linux 5.13). The pages are pinned, and count against
// RLIMIT_MEMLOCK (ENOMEM), until the entry is emptied and the operations that use it have
// ended.
func UringSetBuffer(fd, index int, b []byte) error {
	iov := &syscall.Iovec{Base: unsafe.SliceData(b), Len: uint64(len(b))}
	if len(b) == 0 {
		iov.Base = nil
	}
	arg := &uringRsrcUpdate{Offset: uint32(index), Data: iov, Nr: 1}
	_, _, e := syscall.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(fd), IORING_REGISTER_BUFFERS_UPDATE, uintptr(unsafe.Pointer(arg)), unsafe.Sizeof(*arg), 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// UringDropBuffers removes the ring's table of buffers (IORING_UNREGISTER_BUFFERS). Before
// 5.13 it waits for the operations in flight.
func UringDropBuffers(fd int) error {
	_, _, e := syscall.Syscall6(unix.SYS_IO_URING_REGISTER, uintptr(fd), IORING_UNREGISTER_BUFFERS, 0, 0, 0, 0)
	if e != 0 {
		return e
	}
	return nil
}

// Addr returns the address of b's first byte, for an SQE. b must be on the heap. The caller
// keeps it reachable until the kernel is done with it.
func Addr(b []byte) uint64 {
	return uint64(uintptr(base(b)))
}
