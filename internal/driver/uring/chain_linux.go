//go:build amd64 || arm64

package uring

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// A chain is a sequence of linked SQEs. Its files are in the ring's file table (direct
// descriptors), so that an SQE can name a file that an earlier SQE of the same submission opens.

// registerFiles makes the ring's file table of n entries, if the kernel has them.
func (r *Ring) registerFiles(n int) {
	if n > 0 && r.fileTable && sys.UringFileTable(r.fd, n) == nil {
		r.files = n
		r.features = append(r.features, "chains")
	}
}

// Files implements driver.Linker.
func (r *Ring) Files() int { return r.files }

// chainLength returns the number of operations in op's chain.
func chainLength(op *driver.Op) int {
	n := 1
	for op = op.Then; op != nil; op = op.Then {
		n++
	}
	return n
}

// writeChain writes the SQEs of a chain from tail on, and returns the new tail.
// sqMu is held.
func (r *Ring) writeChain(tail uint32, head *driver.Op) uint32 {
	head.Left = int32(chainLength(head))
	for op := head; op != nil; {
		next := op.Then // read it now: write hands op to the kernel
		op.Head = head
		tail = r.write(tail, op)
		op = next
	}
	return tail
}

// link returns the flag that links an SQE to the next.
func link(op *driver.Op) uint8 {
	switch {
	case op.Then == nil:
		return 0
	case op.Flags&driver.Always != 0:
		return sys.IOSQE_IO_HARDLINK
	}
	return sys.IOSQE_IO_LINK
}

// chainEnded counts that op, of a chain, has ended. It returns the first operation of the chain if
// all have ended, or nil.
func chainEnded(op *driver.Op) *driver.Op {
	head := op.Head
	op.Head = nil
	if head.Left--; head.Left > 0 {
		return nil
	}
	return head
}

// prepareOpen fills in the SQE of an open. Entries of the table count from 1, as 0 means an
// ordinary descriptor.
func prepareOpen(e *sys.SQE, op *driver.Op) {
	if op.Path == nil {
		e.Opcode = unknownOp
		return
	}
	e.Opcode = sys.IORING_OP_OPENAT
	e.Addr = sys.Addr(op.Path.Name)
	e.OpFlags = op.Path.Flags
	e.SpliceFD = int32(op.Path.File) + 1
}

// prepareClose fills in the SQE of a close.
func prepareClose(e *sys.SQE, op *driver.Op) {
	e.Opcode = sys.IORING_OP_CLOSE
	e.Flags &^= sys.IOSQE_FIXED_FILE
	e.SpliceFD = op.FD + 1
	e.FD = 0
}
