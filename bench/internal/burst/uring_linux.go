package burst

import (
	"errors"
	"os"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The parts of linux/io_uring.h that a burst needs.
const (
	opWrite         = 23     // IORING_OP_WRITE
	enterGetevents  = 1 << 0 // IORING_ENTER_GETEVENTS
	enterExtArg     = 1 << 3 // IORING_ENTER_EXT_ARG
	featSingleMmap  = 1 << 0 // IORING_FEAT_SINGLE_MMAP
	featExtArg      = 1 << 8 // IORING_FEAT_EXT_ARG
	offsetOfRings   = 0
	offsetOfSQEs    = 0x10000000
	sizeOfEventsArg = 24
)

// uringParams is struct io_uring_params.
type uringParams struct {
	sqEntries, cqEntries, flags, threadCPU, threadIdle, features, wqFD uint32

	_  [3]uint32
	sq struct {
		head, tail, mask, entries, flags, dropped, array, _ uint32
		_                                                   uint64
	}
	cq struct {
		head, tail, mask, entries, overflow, cqes, flags, _ uint32
		_                                                   uint64
	}
}

// uringSQE is struct io_uring_sqe.
type uringSQE struct {
	opcode, flags uint8
	ioprio        uint16
	fd            int32
	off, addr     uint64
	length        uint32
	rwFlags       uint32
	userData      uint64
	_             [3]uint64
}

// uringCQE is struct io_uring_cqe.
type uringCQE struct {
	userData uint64
	res      int32
	flags    uint32
}

// uringQueue is an io_uring. One thread submits to it and another reaps from it.
type uringQueue struct {
	fd          int
	rings, sqes []byte // mapped memory of the kernel

	sqTail         *atomic.Uint32
	cqHead, cqTail *atomic.Uint32
	cqMask         uint32
	cqes           unsafe.Pointer // of [cqMask+1]uringCQE

	reaped []uringCQE // only for the reaping thread
}

func newRing(fd int, memory []byte, writes, size int) (*uringQueue, error) {
	var p uringParams
	r, _, errno := unix.Syscall(unix.SYS_IO_URING_SETUP, uintptr(writes), uintptr(unsafe.Pointer(&p)), 0)
	if errno != 0 {
		return nil, os.NewSyscallError("io_uring_setup", errno)
	}
	q := &uringQueue{fd: int(r)}
	if err := q.mapRings(&p); err != nil {
		return nil, errors.Join(err, q.close())
	}
	q.prepare(&p, fd, memory, writes, size)
	return q, nil
}

// mapRings maps the two rings and the SQEs.
func (q *uringQueue) mapRings(p *uringParams) (err error) {
	if need := uint32(featSingleMmap | featExtArg); p.features&need != need {
		return errors.New("io_uring before Linux 5.11")
	}
	n := max(p.sq.array+p.sqEntries*4, p.cq.cqes+p.cqEntries*uint32(unsafe.Sizeof(uringCQE{})))
	const prot, flags = unix.PROT_READ | unix.PROT_WRITE, unix.MAP_SHARED | unix.MAP_POPULATE
	if q.rings, err = unix.Mmap(q.fd, offsetOfRings, int(n), prot, flags); err != nil {
		return os.NewSyscallError("mmap", err)
	}
	n = p.sqEntries * uint32(unsafe.Sizeof(uringSQE{}))
	if q.sqes, err = unix.Mmap(q.fd, offsetOfSQEs, int(n), prot, flags); err != nil {
		return os.NewSyscallError("mmap", err)
	}
	q.sqTail = (*atomic.Uint32)(unsafe.Pointer(&q.rings[p.sq.tail]))
	q.cqHead = (*atomic.Uint32)(unsafe.Pointer(&q.rings[p.cq.head]))
	q.cqTail = (*atomic.Uint32)(unsafe.Pointer(&q.rings[p.cq.tail]))
	q.cqMask = p.cqEntries - 1
	q.cqes = unsafe.Pointer(&q.rings[p.cq.cqes])
	return nil
}

// prepare writes the SQEs of all writes. Each has its own slot, so that submitting only changes the
// tail.
func (q *uringQueue) prepare(p *uringParams, fd int, memory []byte, writes, size int) {
	array := unsafe.Slice((*uint32)(unsafe.Pointer(&q.rings[p.sq.array])), p.sqEntries)
	sqes := unsafe.Slice((*uringSQE)(unsafe.Pointer(&q.sqes[0])), p.sqEntries)
	for i := range writes {
		array[i] = uint32(i)
		sqes[i] = uringSQE{
			opcode: opWrite, fd: int32(fd), off: uint64(i) * uint64(size),
			addr: uint64(uintptr(unsafe.Pointer(&memory[i*size]))), length: uint32(size), userData: uint64(i),
		}
	}
	q.reaped = make([]uringCQE, 0, p.cqEntries)
}

func (q *uringQueue) submit(i int) error {
	q.sqTail.Store(uint32(i) + 1)
	for {
		_, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(q.fd), 1, 0, 0, 0, 0)
		if errno == 0 {
			return nil
		}
		if errno != unix.EINTR && errno != unix.EAGAIN {
			return os.NewSyscallError("io_uring_enter", errno)
		}
	}
}

func (q *uringQueue) reap(done func(i int, res int64)) error {
	if err := q.wait(); err != nil {
		return err
	}
	q.reaped = q.reaped[:0]
	head, tail := q.cqHead.Load(), q.cqTail.Load()
	for ; head != tail; head++ {
		cqe := (*uringCQE)(unsafe.Add(q.cqes, uintptr(head&q.cqMask)*unsafe.Sizeof(uringCQE{})))
		q.reaped = append(q.reaped, *cqe)
	}
	q.cqHead.Store(head)
	for _, cqe := range q.reaped {
		done(int(cqe.userData), int64(cqe.res))
	}
	return nil
}

// wait waits for a completion, at most for reapWait.
func (q *uringQueue) wait() error {
	timeout := unix.NsecToTimespec(int64(reapWait))
	arg := struct { // io_uring_getevents_arg
		sigmask  uint64
		size, _  uint32
		timespec *unix.Timespec // 64 bits
	}{timespec: &timeout}
	_, _, errno := unix.Syscall6(unix.SYS_IO_URING_ENTER, uintptr(q.fd), 0, 1, enterGetevents|enterExtArg,
		uintptr(unsafe.Pointer(&arg)), sizeOfEventsArg)
	if errno != 0 && errno != unix.EINTR && errno != unix.ETIME {
		return os.NewSyscallError("io_uring_enter", errno)
	}
	return nil
}

// close need not wait: the kernel keeps the pages of writes in flight.
func (q *uringQueue) close() error {
	var errs []error
	for _, m := range [][]byte{q.sqes, q.rings} {
		if m != nil {
			errs = append(errs, unix.Munmap(m))
		}
	}
	return errors.Join(append(errs, unix.Close(q.fd))...)
}
