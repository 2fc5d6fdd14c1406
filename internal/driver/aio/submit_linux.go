//go:build amd64 || arm64

package aio

import (
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

const (
	eagain     = -int32(syscall.EAGAIN)
	enomem     = -int32(syscall.ENOMEM)
	einval     = -int32(syscall.EINVAL)
	eopnotsupp = -int32(syscall.EOPNOTSUPP)
)

// Submit implements driver.Driver.
func (q *Queue) Submit(ops []*driver.Op) (int, error) {
	if q.closed.Load() {
		return 0, driver.ErrClosed
	}
	if err := q.ready(); err != nil {
		return 0, err
	}
	n := min(len(ops), q.slots.Available())
	q.fileEnds.forget()
	for _, op := range ops[:n] {
		q.route(op)
	}
	q.flush()
	q.pooled.flush()
	q.notifyFinished()
	return n, q.lost()
}

// notifyFinished wakes Reap if finished has operations: neither the kernel nor the pool wakes it
// for them.
func (q *Queue) notifyFinished() {
	if q.finished.any() {
		q.notifier.notify()
	}
}

// Async implements driver.Driver. A direct write that turns out to extend its file still holds a
// thread.
func (q *Queue) Async(op *driver.Op) bool {
	switch op.Code {
	case driver.Nop:
		return true
	case driver.Read:
		return op.Flags&driver.Direct != 0
	case driver.Write:
		return op.Flags&driver.Direct != 0 && q.statx
	case driver.Fsync, driver.Fdatasync:
		return q.fsync
	}
	return false
}

// route gives op a slot and decides how it is performed.
func (q *Queue) route(op *driver.Op) {
	slot := q.slots.Next()
	switch {
	case op.Code == driver.Nop:
		q.slots.take(op)
		q.finished.put(op, 0)
	case !q.Async(op), op.Code == driver.Write && q.fileEnds.extends(op):
		q.slots.take(op)
		q.divert(op)
	default:
		q.prepare(&q.iocbs[slot], op)
		q.submitLater(slot, op)
	}
}

// submitLater submits op, which is prepared in a slot: with the next flush or, as a write may
// block, by a submitter. After that op must not be used.
func (q *Queue) submitLater(slot uint32, op *driver.Op) {
	write := op.Code == driver.Write
	q.slots.take(op)
	if !write {
		q.batch = append(q.batch, &q.iocbs[slot])
	} else if !q.writes.add(slot, q.fileEnds.device) {
		q.divert(op)
	}
}

// prepare writes op's iocb.
func (q *Queue) prepare(c *sys.Iocb, op *driver.Op) {
	*c = sys.Iocb{Data: c.Data, Fildes: uint32(op.FD), Flags: sys.IOCB_FLAG_RESFD, ResFD: uint32(q.notifier.fd)}
	switch op.Code {
	case driver.Read:
		c.LioOpcode = sys.IOCB_CMD_PREAD
		prepareTransfer(c, op)
		if q.nowait && !q.plainFiles.use(op.FD) {
			c.RWFlags = unix.RWF_NOWAIT
		}
	case driver.Write:
		c.LioOpcode = sys.IOCB_CMD_PWRITE
		prepareTransfer(c, op)
		sys.RaceRead(op.Buf)
	case driver.Fsync:
		c.LioOpcode = sys.IOCB_CMD_FSYNC
	case driver.Fdatasync:
		c.LioOpcode = sys.IOCB_CMD_FDSYNC
	}
}

func prepareTransfer(c *sys.Iocb, op *driver.Op) {
	c.Buf = sys.Addr(op.Buf)
	c.Nbytes = uint64(len(op.Buf))
	c.Offset = op.Off
}

// flush submits the batch to the kernel.
func (q *Queue) flush() {
	q.submit(q.batch, q.divert)
	q.batch = q.batch[:0]
}

// submit submits a batch to the kernel. It diverts operations for which the kernel has no room.
func (q *Queue) submit(batch []*sys.Iocb, divert func(*driver.Op)) {
	for len(batch) > 0 {
		if q.lost() != nil { // another goroutine that submits may have lost it
			q.withdraw(batch)
			return
		}
		switch r := q.ioSubmit(batch); {
		case r > 0:
			batch = batch[r:]
		case r == 0: // the kernel takes one at least, so a filter has answered
			q.lose(errNothing)
		case r == eagain, r == enomem:
			// The slots never allow more in flight than the context holds, so the kernel is short
			// of memory.
			for _, c := range batch {
				divert(q.slots.at(c.Data))
			}
			batch = nil
		case (r == eopnotsupp || r == einval) && batch[0].RWFlags != 0:
			// The file, or the kernel, does not support RWF_NOWAIT.
			batch[0].RWFlags = 0
			q.plainFiles.note(int32(batch[0].Fildes))
		case q.lostBy(r):
			q.withdraw(batch)
			return
		default:
			q.finished.put(q.slots.at(batch[0].Data), r)
			batch = batch[1:]
		}
	}
}

// ioSubmit is io_submit(2).
func (q *Queue) ioSubmit(batch []*sys.Iocb) int32 {
	start := q.hook.Now()
	r := sys.IoSubmit(q.ctx, batch)
	q.call(start, record.Call{Batch: int32(len(batch)), Res: r, Syscall: record.SysIOSubmit})
	return r
}

// divert gives an operation that would block io_submit to the pool, with the next
// flush.
func (q *Queue) divert(op *driver.Op) {
	if op.Flags&driver.NoWait != 0 {
		q.finished.put(op, eagain)
	} else {
		q.pooled.add(op)
	}
}

// divertNow is divert for goroutines other than the submitter: it does not wait for a
// flush.
func (q *Queue) divertNow(op *driver.Op) {
	if op.Flags&driver.NoWait != 0 {
		q.finished.put(op, eagain)
	} else {
		q.pooled.perform([]*driver.Op{op})
	}
}
