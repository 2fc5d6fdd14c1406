package sched

import "github.com/sluiceio/sluice/internal/driver"

// MaxChainOps is the most operations that a chain can have.
const MaxChainOps = 6

// WorkingDir is AT_FDCWD, with the value that Linux gives it.
const WorkingDir = -100

// chainSlot is the memory of one chain, and the driver's file that the chain uses. It is used
// for one chain after the other.
type chainSlot struct {
	ops   [MaxChainOps]driver.Op
	n     int
	file  uint32
	path  driver.Path
	owner any
	asked int64 // for the record
}

// Chain is a chain that is being put together: an open, reads of the opened file, and its
// close.
type Chain struct{ t *chainSlot }

// Open begins the chain with an open of name, without O_CREAT, O_TRUNC and the like. Dir is
// what a relative name starts from: WorkingDir, or a descriptor that must stay open until the
// chain has ended. ChainSource.Ended is given owner then. Open returns false, and there is no
// chain, if name contains a zero byte and so cannot be a file's name.
func (c Chain) Open(owner any, dir int, name string, flags int) bool {
	t := c.t
	for i := range len(name) {
		if name[i] == 0 {
			return false
		}
	}
	t.owner = owner
	t.path.Name = append(append(t.path.Name[:0], name...), 0)
	t.path.Flags, t.path.File = uint32(flags), t.file
	t.add(driver.Op{Code: driver.Open, FD: int32(dir), Path: &t.path})
	return true
}

// ReadAt adds a read of all of b. The next operation is performed even if this one fails or is
// short, so that a file that was opened is closed.
func (c Chain) ReadAt(b []byte, off int64) {
	raceBefore(driver.Read, b)
	c.t.add(driver.Op{
		Code: driver.Read, Flags: driver.OwnFile | driver.Always, FD: int32(c.t.file), Buf: b, Off: off,
	})
}

// Close ends the chain with a close of the file.
func (c Chain) Close() {
	c.t.add(driver.Op{Code: driver.Close, Flags: driver.OwnFile, FD: int32(c.t.file)})
}

func (t *chainSlot) add(op driver.Op) {
	op.Owner = t
	t.ops[t.n] = op
	t.n++
}

// link links the operations in their order and returns the first.
func (t *chainSlot) link() *driver.Op {
	for i := range t.n - 1 {
		t.ops[i].Then = &t.ops[i+1]
	}
	return &t.ops[0]
}

// succeeded reports whether all operations have succeeded. A short read has not.
func (t *chainSlot) succeeded() bool {
	for i := range t.n {
		op := &t.ops[i]
		raceAfter(op.Code, op.Buf, op.Res)
		if op.Res < 0 || op.Code == driver.Read && int(op.Res) < len(op.Buf) {
			return false
		}
	}
	return true
}

// clear drops the references to the caller's memory.
func (t *chainSlot) clear() {
	clear(t.ops[:t.n])
	t.owner = nil
}
