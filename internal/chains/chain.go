package chains

import (
	"strings"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
)

// MaxOps is the most operations that a chain can have.
const MaxOps = 6

// WorkingDir is AT_FDCWD, with Linux's value.
const WorkingDir = -100

// slot is the memory of one chain, and the driver's file for it. Later chains re-use it.
type slot struct {
	ops   [MaxOps]driver.Op
	n     int
	file  uint32
	path  driver.Path
	owner any
	asked int64 // for the record
	// staged: the driver has the chain.
	staged bool
}

// Chain is a chain under construction: an open, reads of the opened file, and its close.
type Chain struct{ s *slot }

// Open begins the chain with an open of name, without O_CREAT, O_TRUNC and the like. A relative
// name starts from dir: WorkingDir, or a descriptor that must stay open until the chain has ended.
// Source.Ended gets owner. Open returns false, and there is no chain, if name has a zero byte.
func (c Chain) Open(owner any, dir int, name string, flags int) bool {
	s := c.s
	if strings.IndexByte(name, 0) >= 0 {
		return false
	}
	s.owner = owner
	s.path.Name = append(append(s.path.Name[:0], name...), 0)
	s.path.Flags, s.path.File = uint32(flags), s.file
	s.add(driver.Op{Code: driver.Open, FD: int32(dir), Path: &s.path})
	return true
}

// ReadAt adds a read of all of b. The next operation is performed even if this one fails or is
// short, so that an opened file is closed.
func (c Chain) ReadAt(b []byte, off int64) {
	ioengine.RaceBefore(driver.Read, b)
	c.s.add(driver.Op{
		Code: driver.Read, Flags: driver.OwnFile | driver.Always, FD: int32(c.s.file), Buf: b, Off: off,
	})
}

// Close ends the chain with a close of the file.
func (c Chain) Close() {
	c.s.add(driver.Op{Code: driver.Close, Flags: driver.OwnFile, FD: int32(c.s.file)})
}

func (s *slot) add(op driver.Op) {
	op.Owner = s
	s.ops[s.n] = op
	s.n++
}

// link links the operations in their order and returns the first.
func (s *slot) link() *driver.Op {
	for i := range s.n - 1 {
		s.ops[i].Then = &s.ops[i+1]
	}
	return &s.ops[0]
}

// succeeded reports whether all operations have succeeded. A short read has not.
func (s *slot) succeeded() bool {
	for i := range s.n {
		op := &s.ops[i]
		ioengine.RaceAfter(op.Code, op.Buf, op.Res)
		if op.Res < 0 || op.Code == driver.Read && int(op.Res) < len(op.Buf) {
			return false
		}
	}
	return true
}

// clear drops the references to the caller's memory.
func (s *slot) clear() {
	clear(s.ops[:s.n])
	s.owner, s.staged = nil, false
}
