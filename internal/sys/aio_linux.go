//go:build amd64 || arm64

package sys

import (
	"math"
	"sync/atomic"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The Linux AIO ABI, from include/uapi/linux/aio_abi.h and fs/aio.c. The names are the kernel's.
// Unused parts are left out.

// Opcodes of an iocb.
const (
	IOCB_CMD_PREAD  = 0
	IOCB_CMD_PWRITE = 1
	IOCB_CMD_FSYNC  = 2 // 4.18
	IOCB_CMD_FDSYNC = 3 // 4.18
)

// IOCB_FLAG_RESFD makes a completion add 1 to the eventfd in ResFD.
const IOCB_FLAG_RESFD = 1

// Iocb is struct iocb: a request, 64 bytes. io_submit copies all of it, and writes Key.
type Iocb struct {
	Data      uint64
	Key       uint32
	RWFlags   uint32 // 4.13; before, anything but 0 is EINVAL
	LioOpcode uint16
	Reqprio   int16
	Fildes    uint32
	Buf       uint64
	Nbytes    uint64
	Offset    int64
	_         uint64
	Flags     uint32
	ResFD     uint32
}

// IoEvent is struct io_event: a completion, 32 bytes.
type IoEvent struct {
	Data, Obj uint64
	Res, Res2 int64
}

// AioContext is aio_context_t. It is the address at which the kernel has mapped the
// context's event buffer.
type AioContext uint64

// IoSetup is io_setup(2).
func IoSetup(depth uint32) (AioContext, error) {
	var ctx AioContext
	_, _, e := syscall.Syscall(unix.SYS_IO_SETUP, uintptr(depth), uintptr(unsafe.Pointer(&ctx)), 0)
	switch {
	case e != 0:
		return 0, e
	case ctx == 0: // a seccomp filter has answered, and made no context
		return 0, syscall.ENOSYS
	}
	return ctx, nil
}

// IoDestroy is io_destroy(2). It waits for the requests in flight.
func IoDestroy(ctx AioContext) error {
	if _, _, e := syscall.Syscall(unix.SYS_IO_DESTROY, uintptr(ctx), 0, 0); e != 0 {
		return e
	}
	return nil
}

// IoSubmit is io_submit(2). It returns the number of iocbs that the kernel took, or a negated errno
// if it took none. It blocks if a request cannot be performed asynchronously. The iocbs must be on
// the heap. The caller keeps them and their buffers reachable.
func IoSubmit(ctx AioContext, iocbs []*Iocb) int32 {
	if len(iocbs) == 0 {
		return 0
	}
	r, _, e := syscall.Syscall(unix.SYS_IO_SUBMIT, uintptr(ctx), uintptr(len(iocbs)), uintptr(unsafe.Pointer(&iocbs[0])))
	return result(r, e)
}

// IoSubmitNothing is io_submit(2) of no iocbs. It returns an error if the kernel refuses all calls,
// whatever they submit.
func IoSubmitNothing(ctx AioContext) error {
	if _, _, e := syscall.Syscall(unix.SYS_IO_SUBMIT, uintptr(ctx), 0, 0); e != 0 {
		return e
	}
	return nil
}

// IoGetevents is io_getevents(2). It waits until there are at least need completions,
// without a time limit, and returns up to len(events).
func IoGetevents(ctx AioContext, need int, events []IoEvent) int32 {
	if len(events) == 0 {
		return 0
	}
	var now unix.Timespec
	limit := &now
	if need > 0 {
		limit = nil
	}
	r, _, e := syscall.Syscall6(unix.SYS_IO_GETEVENTS, uintptr(ctx), uintptr(need), uintptr(len(events)), uintptr(unsafe.Pointer(&events[0])), uintptr(unsafe.Pointer(limit)), 0)
	return result(r, e)
}

// EndOf returns the offset from which on a write would extend the file. For a block
// device that is math.MaxInt64. If statx(2) fails, it is a negated errno.
func EndOf(fd int) int64 {
	end, _ := EndAndDevice(fd)
	return end
}

// EndAndDevice returns the result of EndOf, and the number of the device that the file is on, or
// is.
func EndAndDevice(fd int) (end int64, device uint64) {
	// Ask for no more: on a network file system, asking for times flushes the file.
	const flags, mask = unix.AT_EMPTY_PATH | unix.AT_STATX_DONT_SYNC, unix.STATX_SIZE | unix.STATX_TYPE
	var st unix.Statx_t
	var path byte
	_, _, e := syscall.Syscall6(unix.SYS_STATX, uintptr(fd), uintptr(unsafe.Pointer(&path)), flags, mask, uintptr(unsafe.Pointer(&st)), 0)
	switch {
	case e != 0:
		return -int64(e), 0
	case st.Mode&unix.S_IFMT == unix.S_IFBLK:
		return math.MaxInt64, unix.Mkdev(st.Rdev_major, st.Rdev_minor)
	}
	return int64(st.Size), unix.Mkdev(st.Dev_major, st.Dev_minor)
}

// A struct aio_ring has to contain AIO_RING_MAGIC, and no incompatible feature.
const (
	aioRingMagic    = 0xa10a10a1
	aioRingIncompat = 0
)

// aioRing is struct aio_ring, the header of a context's event buffer. The kernel writes
// Tail, and AioRing.Take writes Head.
type aioRing struct {
	ID, Nr           uint32
	Head, Tail       uint32
	Magic            uint32
	Compat, Incompat uint32
	HeaderLength     uint32
}

// AioRing is a context's event buffer. It is read without system calls, by one goroutine
// at a time.
type AioRing struct {
	header *aioRing
	events []IoEvent // written by the kernel
}

// Ring returns the context's event buffer. ok is false if its layout is not known. It must
// not be used after IoDestroy.
func (ctx AioContext) Ring() (r AioRing, ok bool) {
	// The address is in memory that the kernel has mapped, not in the Go heap.
	h := *(**aioRing)(unsafe.Pointer(&ctx))
	if h.Magic != aioRingMagic || h.Incompat != aioRingIncompat || h.HeaderLength != uint32(unsafe.Sizeof(*h)) || h.Nr == 0 {
		return AioRing{}, false
	}
	first := unsafe.Add(unsafe.Pointer(h), unsafe.Sizeof(*h))
	return AioRing{h, unsafe.Slice((*IoEvent)(first), h.Nr)}, true
}

// Take moves completions to events and returns their number.
func (r AioRing) Take(events []IoEvent) int {
	n, head := 0, r.header.Head
	// Acquire: the kernel writes an event before it writes the tail.
	for tail := atomic.LoadUint32(&r.header.Tail); head != tail && n < len(events); n++ {
		events[n] = r.events[head]
		if head++; head == uint32(len(r.events)) {
			head = 0
		}
	}
	if n > 0 {
		// Release: the kernel re-uses an entry after it has seen the head beyond it.
		atomic.StoreUint32(&r.header.Head, head)
	}
	return n
}
