//go:build amd64 || arm64

package uring

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// Chains are linked SQEs. The files of a chain are in the ring's table (direct
// descriptors), so that an operation can name what an earlier one of the same
// submission opens.

// ownFiles makes the ring's table of n files, if the kernel has such a thing.
func (r *Ring) ownFiles(n int) {
	if n > 0 && r.links && sys.UringFileTable(r.fd, n) == nil {
		r.files = n
		r.features = append(r.features, "chains")
	}
}

// Files implements driver.Linker.
func (r *Ring) Files() int { return r.files }

// members is how many operations op's chain has.
func members(op *driver.Op) int {
	n := 1
	for op = op.Then; op != nil; op = op.Then {
		n++
	}
	return n
}

// writeChain writes the SQEs of op and of what is linked to it from tail on, and
// returns the new tail. Under sqMu.
func (r *Ring) writeChain(tail uint32, head *driver.Op) uint32 {
	head.Left = int32(members(head))
	for op := head; op != nil; {
		next := op.Then // which is not to be read once op is the kernel's
		op.Head = head
		tail = r.write(tail, op)
		op = next
	}
	return tail
}

// link is how an SQE is linked to the next.
func link(op *driver.Op) uint8 {
	switch {
	case op.Then == nil:
		return 0
	case op.Flags&driver.Always != 0:
		return sys.IOSQE_IO_HARDLINK
	}
	return sys.IOSQE_IO_LINK
}

// chainEnded notes that op, one of a chain, has ended. It returns the first of
// the chain if that was the last, and else nil.
func chainEnded(op *driver.Op) *driver.Op {
	head := op.Head
	op.Head = nil
	if head.Left--; head.Left > 0 {
		return nil
	}
	return head
}

// prepareOpen fills in the rest of an open's SQE. A place in the table is
// counted from 1, as 0 means a descriptor.
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

// prepareClose fills in the rest of a close's SQE.
func prepareClose(e *sys.SQE, op *driver.Op) {
	e.Opcode = sys.IORING_OP_CLOSE
	e.Flags &^= sys.IOSQE_FIXED_FILE
	e.SpliceFD = op.FD + 1
	e.FD = 0
}
