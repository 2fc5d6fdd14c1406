//go:build amd64 || arm64

package uring

import (
	"fmt"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// sqReserve is the number of SQEs that are kept for Wake and Cancel.
const sqReserve = 4

// Submit implements driver.Driver.
func (r *Ring) Submit(ops []*driver.Op) (int, error) {
	n := 0
	for {
		if r.closed.Load() {
			return n, driver.ErrClosed
		}
		n += r.Stage(ops[n:])
		all := r.flush()
		if err := r.lost(); err != nil {
			return n, err
		}
		// Ask the slots, not Stage: Stage may have stopped because the SQ was full, and flush has
		// emptied it.
		if !all || n == len(ops) || r.slots.Available() == 0 {
			return n, nil
		}
	}
}

// Stage implements driver.Stager. It writes SQEs for operations from the front of ops. The next
// io_uring_enter, in any goroutine, submits them.
func (r *Ring) Stage(ops []*driver.Op) int {
	if len(ops) == 0 || r.closed.Load() || !r.ready() {
		return 0
	}
	r.sqMu.Lock()
	defer r.sqMu.Unlock()
	if r.lost() != nil {
		return 0
	}
	room := min(r.slots.Available(), r.room()-sqReserve)
	tail, n := *r.sqTail, 0
	for ; n < min(len(ops), room); n++ {
		tail = r.write(tail, ops[n])
	}
	atomic.StoreUint32(r.sqTail, tail)
	return n
}

// write writes op's SQE at tail and returns the new tail. sqMu is held.
func (r *Ring) write(tail uint32, op *driver.Op) uint32 {
	r.slots.take(op)
	prepare(&r.sqes[tail&r.sqMask], op)
	r.slots.publish(op)
	return tail + 1
}

// room returns the number of SQEs that can be written. sqMu is held.
func (r *Ring) room() int {
	return len(r.sqes) - int(r.staged())
}

// staged returns the number of SQEs that the kernel has not read.
func (r *Ring) staged() uint32 {
	// Read the head first: the tail is never behind a head that was read before.
	head := atomic.LoadUint32(r.sqHead)
	return atomic.LoadUint32(r.sqTail) - head
}

// unknownOp is an opcode that no kernel has: it returns EINVAL.
const unknownOp = 0xff

// prepare writes op's SQE.
func prepare(e *sys.SQE, op *driver.Op) {
	*e = sys.SQE{FD: op.FD, UserData: op.Token}
	switch op.Code {
	case driver.Nop:
		e.Opcode = sys.IORING_OP_NOP
		e.FD = -1
	case driver.Read:
		e.Opcode = sys.IORING_OP_READ
		prepareTransfer(e, op, sys.IORING_OP_READ_FIXED)
	case driver.Write:
		e.Opcode = sys.IORING_OP_WRITE
		prepareTransfer(e, op, sys.IORING_OP_WRITE_FIXED)
	case driver.Fsync:
		e.Opcode = sys.IORING_OP_FSYNC
	case driver.Fdatasync:
		e.Opcode = sys.IORING_OP_FSYNC
		e.OpFlags = sys.IORING_FSYNC_DATASYNC
	default:
		e.Opcode = unknownOp
	}
}

// prepareTransfer fills in the SQE of a transfer. fixed is the opcode for
// registered memory.
func prepareTransfer(e *sys.SQE, op *driver.Op, fixed uint8) {
	e.Addr = sys.Addr(op.Buf)
	e.Len = uint32(min(len(op.Buf), sys.MaxRW))
	e.Off = uint64(op.Off)
	if op.Off == -1 {
		// To io_uring -1 means the file's own position; pread(2) returns EINVAL.
		e.Off = 1 << 63
	}
	if op.Flags&driver.NoWait != 0 {
		e.OpFlags = unix.RWF_NOWAIT
	}
	// An empty buffer is in no registered memory; the kernel would return EFAULT.
	if op.Reg != 0 && len(op.Buf) > 0 {
		e.Opcode = fixed
		e.BufIndex = uint16(min(op.Reg-1, maxBuffers)) // maxBuffers is no entry: EFAULT
	}
}

// flush submits the staged operations, without waiting for completions. It reports whether it has
// submitted all. If not, the ring is lost, or completions must be reaped first: then Reap submits
// the rest.
func (r *Ring) flush() bool {
	if !r.ready() {
		return false
	}
	for pause := 50 * time.Microsecond; ; {
		head, n := atomic.LoadUint32(r.sqHead), r.staged()
		if n == 0 {
			return true
		}
		r.loss.entering.Add(1)
		res := r.enter(n, 0, 0)
		r.loss.entering.Add(-1)
		switch {
		case r.lost() != nil, res == -int32(syscall.EBUSY):
			return false
		case res < 0:
			// The kernel has no memory for requests now. If that lasts, the ring is lost
			// (shortage).
			time.Sleep(pause)
			pause = min(2*pause, 10*time.Millisecond)
		case atomic.LoadUint32(r.sqHead) == head:
			r.notConsumed()
		}
	}
}

// enter is io_uring_enter(2) on the ring, for staged SQEs. A failure that is not transient, or that
// lasts, makes the ring lost; then no call is made any more. The caller has incremented entering,
// or set waiting.
func (r *Ring) enter(staged, wait, flags uint32) int32 {
	if r.lost() != nil {
		return 0
	}
	start := r.hook.Now()
	res := sys.UringEnter(r.fd, staged, wait, flags)
	r.hook.Call(start, record.Call{
		Batch: int32(staged), Wait: int32(wait), Res: res, Syscall: record.SysUringEnter, Drv: record.DriverUring,
	})
	switch {
	case res >= 0:
		r.loss.shortage.ended()
	case !transient(res):
		r.lose(fmt.Errorf("io_uring_enter: %w", syscall.Errno(-res)))
	case r.loss.shortage.tooLong(res, wait > 0, record.Now()):
		r.lose(fmt.Errorf("io_uring_enter: %w, for %v", syscall.Errno(-res), shortageLimit))
	}
	return res
}

// Wake implements driver.Driver.
func (r *Ring) Wake() {
	if r.wake.CompareAndSwap(0, 1) {
		r.control(sys.SQE{Opcode: sys.IORING_OP_NOP, FD: -1, UserData: wakeToken})
	}
}

// Cancel implements driver.Driver.
func (r *Ring) Cancel(op *driver.Op) {
	if r.lazy.pending.Load() {
		return // nothing was submitted
	}
	// A cancellation is only a request. It is dropped if too many are in the ring, so that the CQ
	// cannot overflow.
	if r.cancels.Add(1) > int32(r.depth)/2+1 {
		r.cancels.Add(-1)
		return
	}
	r.control(sys.SQE{Opcode: sys.IORING_OP_ASYNC_CANCEL, FD: -1, Addr: op.Token, UserData: cancelToken})
}

// control submits an SQE of the driver's own, unless the ring is lost.
func (r *Ring) control(e sys.SQE) {
	if !r.ready() {
		return
	}
	for {
		r.sqMu.Lock()
		if r.lost() != nil {
			r.sqMu.Unlock()
			return
		}
		if r.room() > 0 {
			break
		}
		r.sqMu.Unlock()
		r.flush()
	}
	tail := *r.sqTail
	r.sqes[tail&r.sqMask] = e
	atomic.StoreUint32(r.sqTail, tail+1)
	r.sqMu.Unlock()
	r.flush()
}
