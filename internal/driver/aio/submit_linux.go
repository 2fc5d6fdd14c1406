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
	einval     = -int32(syscall.EINVAL)
	eopnotsupp = -int32(syscall.EOPNOTSUPP)
)

// Submit implements driver.Driver.
func (q *Queue) Submit(ops []*driver.Op) (int, error) {
	if q.closed.Load() {
		return 0, driver.ErrClosed
	}
	n := min(len(ops), q.slots.available())
	q.ends.forget()
	for _, op := range ops[:n] {
		q.route(op)
	}
	q.flush()
	q.pooled.flush()
	if q.early.any() {
		q.bell.ring()
	}
	return n, nil
}

// Async implements driver.Driver. A direct write that turns out to extend its
// file is performed by a thread all the same.
func (q *Queue) Async(op *driver.Op) bool {
	switch op.Code {
	case driver.Nop:
		return true
	case driver.Read:
		return op.Flags&driver.Direct != 0
	case driver.Write:
		return op.Flags&driver.Direct != 0 && q.sizes
	case driver.Fsync, driver.Fdatasync:
		return q.fsync
	}
	return false
}

// route gives op a slot and decides who performs it.
func (q *Queue) route(op *driver.Op) {
	c := &q.iocbs[q.slots.next()]
	switch {
	case op.Code == driver.Nop:
		q.slots.take(op)
		q.early.put(op, 0)
	case !q.Async(op), op.Code == driver.Write && q.ends.extends(op):
		q.slots.take(op)
		q.divert(op)
	default:
		q.prepare(c, op)
		q.slots.take(op)
		q.batch = append(q.batch, c)
	}
}

// prepare writes op's iocb.
func (q *Queue) prepare(c *sys.Iocb, op *driver.Op) {
	*c = sys.Iocb{Data: c.Data, Fildes: uint32(op.FD), Flags: sys.IOCB_FLAG_RESFD, ResFD: uint32(q.bell.fd)}
	switch op.Code {
	case driver.Read:
		c.LioOpcode = sys.IOCB_CMD_PREAD
		prepareTransfer(c, op)
		if q.nowait && !q.plain.use(op.FD) {
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

// flush hands the batch to the kernel.
func (q *Queue) flush() {
	for batch := q.batch; len(batch) > 0; {
		switch r := q.ioSubmit(batch); {
		case r > 0:
			batch = batch[r:]
		case r == eagain:
			// The slots bound what is in flight to what the context has room
			// for, so it is memory that is short.
			for _, c := range batch {
				q.divert(q.slots.at(c.Data))
			}
			batch = nil
		case (r == eopnotsupp || r == einval) && batch[0].RWFlags != 0:
			// The file does not know RWF_NOWAIT, or the kernel does not.
			batch[0].RWFlags = 0
			q.plain.note(int32(batch[0].Fildes))
		default:
			q.early.put(q.slots.at(batch[0].Data), r)
			batch = batch[1:]
		}
	}
	q.batch = q.batch[:0]
}

// ioSubmit is io_submit(2).
func (q *Queue) ioSubmit(batch []*sys.Iocb) int32 {
	start := q.hook.Now()
	r := sys.IoSubmit(q.ctx, batch)
	q.call(start, record.Call{Batch: int32(len(batch)), Res: r, Syscall: record.SysIOSubmit})
	return r
}

// divert gives an operation that would block io_submit to the pool, with the
// coming flush.
func (q *Queue) divert(op *driver.Op) {
	if op.Flags&driver.NoWait != 0 {
		q.early.put(op, eagain)
	} else {
		q.pooled.add(op)
	}
}
