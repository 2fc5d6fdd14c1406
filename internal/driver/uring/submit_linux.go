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

// sqReserve is the room in the SQ that is kept for Wake and Cancel.
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
		// Asked of the slots, not of Stage: that may have found no room in an
		// SQ which flush has emptied since.
		if !all || n == len(ops) || members(ops[n]) > min(r.slots.available(), len(r.sqes)-sqReserve) {
			return n, nil
		}
	}
}

// Stage implements driver.Stager: it writes SQEs for a prefix of ops, which
// the next io_uring_enter of anyone submits.
func (r *Ring) Stage(ops []*driver.Op) int {
	if len(ops) == 0 || r.closed.Load() || !r.ready() {
		return 0
	}
	r.sqMu.Lock()
	defer r.sqMu.Unlock()
	if r.lost() != nil {
		return 0
	}
	room := min(r.slots.available(), r.room()-sqReserve)
	tail, n := *r.sqTail, 0
	for ; n < len(ops) && room > 0; n++ {
		op := ops[n]
		if op.Then == nil {
			tail = r.write(tail, op)
			room--
			continue
		}
		if room -= members(op); room < 0 {
			break // a chain is submitted whole
		}
		tail = r.writeChain(tail, op)
	}
	atomic.StoreUint32(r.sqTail, tail)
	return n
}

// write writes op's SQE at tail and returns the new tail. Under sqMu.
func (r *Ring) write(tail uint32, op *driver.Op) uint32 {
	r.slots.take(op)
	prepare(&r.sqes[tail&r.sqMask], op)
	r.slots.hold(op)
	return tail + 1
}

// room is how many SQEs can be written. Under sqMu.
func (r *Ring) room() int {
	return len(r.sqes) - int(r.staged())
}

// staged is how many SQEs the kernel has not consumed.
func (r *Ring) staged() uint32 {
	// Head first: the tail never falls behind a head seen before it.
	head := atomic.LoadUint32(r.sqHead)
	return atomic.LoadUint32(r.sqTail) - head
}

// unknownOp is an opcode that the kernel does not have: it answers EINVAL.
const unknownOp = 0xff

// prepare writes op's SQE.
func prepare(e *sys.SQE, op *driver.Op) {
	*e = sys.SQE{FD: op.FD, UserData: op.Token, Flags: link(op)}
	if op.Flags&driver.OwnFile != 0 {
		e.Flags |= sys.IOSQE_FIXED_FILE
	}
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
	case driver.Open:
		prepareOpen(e, op)
	case driver.Close:
		prepareClose(e, op)
	default:
		e.Opcode = unknownOp
	}
}

// prepareTransfer fills in the rest of a transfer's SQE. Fixed is the opcode
// for registered memory.
func prepareTransfer(e *sys.SQE, op *driver.Op, fixed uint8) {
	e.Addr = sys.Addr(op.Buf)
	e.Len = uint32(min(len(op.Buf), sys.MaxRW))
	e.Off = uint64(op.Off)
	if op.Off == -1 {
		// io_uring takes -1 for the file's own position; pread(2) says EINVAL.
		e.Off = 1 << 63
	}
	if op.Flags&driver.NoWait != 0 {
		e.OpFlags = unix.RWF_NOWAIT
	}
	// What is empty lies nowhere, and the kernel would say EFAULT.
	if op.Reg != 0 && len(op.Buf) > 0 {
		e.Opcode = fixed
		e.BufIndex = uint16(min(op.Reg-1, maxBuffers)) // which is no place
	}
}

// flush submits what is staged, without waiting for completions. It reports
// whether all of it was: when not, completions wait to be reaped first, and
// Reap submits the rest; or the ring is lost.
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
			// The kernel has no memory for requests: later it will. If it never has, the
			// ring is lost (shortage).
			time.Sleep(pause)
			pause = min(2*pause, 10*time.Millisecond)
		case res >= 0 && atomic.LoadUint32(r.sqHead) == head:
			r.checkTaken()
		}
	}
}

// enter is io_uring_enter(2) on the ring. A failure that is not transient, or that
// lasts, means that the ring is lost, after which no call is made. The caller has raised
// entering, or waiting.
func (r *Ring) enter(submit, wait, flags uint32) int32 {
	if r.lost() != nil {
		return 0
	}
	start := r.hook.Now()
	res := sys.UringEnter(r.fd, submit, wait, flags)
	r.hook.Call(start, record.Call{
		Batch: int32(submit), Wait: int32(wait), Res: res, Syscall: record.SysUringEnter, Drv: record.DriverUring,
	})
	switch {
	case res >= 0:
		r.loss.shortage.end()
	case !transient(res):
		r.lose(fmt.Errorf("io_uring_enter: %w", syscall.Errno(-res)))
	case r.loss.shortage.lasts(res, wait > 0, time.Now().UnixNano()):
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

// Cancel implements driver.Driver. Of a chain one operation at a time is there
// to be found.
func (r *Ring) Cancel(op *driver.Op) {
	if r.late.waits.Load() {
		return // nothing was ever submitted
	}
	for ; op != nil; op = op.Then {
		r.cancel(op)
	}
}

func (r *Ring) cancel(op *driver.Op) {
	// A cancellation is only a request: when the CQ's spare room is spoken
	// for, it is dropped.
	if r.cancels.Add(1) > int32(r.depth)/2+1 {
		r.cancels.Add(-1)
		return
	}
	r.control(sys.SQE{Opcode: sys.IORING_OP_ASYNC_CANCEL, FD: -1, Addr: op.Token, UserData: cancelToken})
}

// control submits an SQE of the driver's own. A lost ring has no use for it.
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
