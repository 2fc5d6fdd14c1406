package sluice

import (
	"errors"
	"io"

	"github.com/sluiceio/sluice/internal/sched"
)

// closeOwn closes a file that the chain keeps to itself, once.
func (op *BatchOp) closeOwn() error {
	if op.own.open {
		return op.own.close()
	}
	f := op.file
	if f == nil {
		return nil
	}
	op.file = nil
	return f.Close()
}

// plain tells whether all that the chain does with the file that op opens is to
// read, write and close it, so that a descriptor will do.
func (op *BatchOp) plain() bool {
	if !op.closed || !ownFiles || int(op.off)&O_APPEND != 0 {
		return false
	}
	for next := op.next; next != nil; next = next.next {
		if next.open != op {
			continue
		}
		switch next.kind {
		case opReadAt, opWriteAt, opReadVec, opWriteVec:
			if next.off < 0 {
				return false
			}
		case opCloseFile:
		default:
			return false
		}
	}
	return true
}

// onOwn performs an operation on a file that the chain keeps to itself.
func (op *BatchOp) onOwn(r *batchRun) (err error) {
	own := sched.RawFile{FD: op.open.own.fd, Name: op.open.name}
	switch op.kind {
	case opReadAt, opReadVec:
		err = op.moved(r.core.ReadRaw(r.ctx, own, op.vecOf(), op.off))
	case opWriteAt, opWriteVec:
		err = op.moved(r.core.WriteRaw(r.ctx, own, op.vecOf(), op.off))
	default:
		err = op.close(r)
	}
	if err != nil && !errors.Is(err, io.EOF) {
		return op.wrap(err)
	}
	return err
}
