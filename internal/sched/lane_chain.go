package sched

import "github.com/sluiceio/sluice/internal/driver"

// LaneMembers is the most operations that a chain may have.
const LaneMembers = 6

// WorkingDir is AT_FDCWD, as Linux has it.
const WorkingDir = -100

// laneTurn is what performs a chain.
type laneTurn struct {
	ops   [LaneMembers]driver.Op
	n     int
	file  uint32
	path  driver.Path
	owner any
	asked int64 // for the record
}

// Chain is a chain that is put together: an open, reads of what it opens, and
// its close.
type Chain struct{ t *laneTurn }

// Open begins the chain, whose owner is told when it has ended: an open of name,
// without O_CREAT, O_TRUNC and the like, relative to dir, a descriptor that stays
// open until then, or WorkingDir. It reports false, and there is no chain, if the
// name cannot be one of a file.
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

// ReadAt adds a read of all of b. What follows is performed however it ends, so
// that a file which was opened is closed.
func (c Chain) ReadAt(b []byte, off int64) {
	raceBefore(driver.Read, b)
	c.t.add(driver.Op{
		Code: driver.Read, Flags: driver.OwnFile | driver.Always, FD: int32(c.t.file), Buf: b, Off: off,
	})
}

// Close ends the chain.
func (c Chain) Close() {
	c.t.add(driver.Op{Code: driver.Close, Flags: driver.OwnFile, FD: int32(c.t.file)})
}

func (t *laneTurn) add(op driver.Op) {
	op.Owner = t
	t.ops[t.n] = op
	t.n++
}

// link links the operations and returns the first.
func (t *laneTurn) link() *driver.Op {
	for i := range t.n - 1 {
		t.ops[i].Then = &t.ops[i+1]
	}
	return &t.ops[0]
}

// succeeded tells whether all operations have succeeded wholly.
func (t *laneTurn) succeeded() bool {
	for i := range t.n {
		op := &t.ops[i]
		raceAfter(op.Code, op.Buf, op.Res)
		if op.Res < 0 || op.Code == driver.Read && int(op.Res) < len(op.Buf) {
			return false
		}
	}
	return true
}

// clear forgets the chain's memory.
func (t *laneTurn) clear() {
	clear(t.ops[:t.n])
	t.owner = nil
}
