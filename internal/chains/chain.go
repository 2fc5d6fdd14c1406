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

// Chain is an open, reads of the opened file, and its close. A Runner uses it again for later
// chains.
type Chain struct {
	ops   [MaxOps]driver.Op
	n     int
	file  uint32 // the driver's file for it
	path  driver.Path
	owner any   // not nil while the chain is in use
	asked int64 // for the record
}

// Open begins the chain with an open of name, without O_CREAT, O_TRUNC and the like. A relative
// name starts from dir: WorkingDir, or a descriptor that must stay open until the chain has ended.
// Source.Ended gets owner, which is not nil. Open returns false, and there is no chain, if name has
// a zero byte.
func (c *Chain) Open(owner any, dir int, name string, flags int) bool {
	if strings.IndexByte(name, 0) >= 0 {
		return false
	}
	c.owner = owner
	c.path.Name = append(append(c.path.Name[:0], name...), 0)
	c.path.Flags, c.path.File = uint32(flags), c.file
	c.add(driver.Op{Code: driver.Open, FD: int32(dir), Path: &c.path})
	return true
}

// ReadAt adds a read of all of b. The next operation is performed even if this one fails or is
// short, so that an opened file is closed.
func (c *Chain) ReadAt(b []byte, off int64) {
	ioengine.RaceBefore(driver.Read, b)
	c.add(driver.Op{
		Code: driver.Read, Flags: driver.OwnFile | driver.Always, FD: int32(c.file), Buf: b, Off: off,
	})
}

// Close ends the chain with a close of the file.
func (c *Chain) Close() {
	c.add(driver.Op{Code: driver.Close, Flags: driver.OwnFile, FD: int32(c.file)})
}

func (c *Chain) add(op driver.Op) {
	op.Owner = c
	c.ops[c.n] = op
	if c.n > 0 {
		c.ops[c.n-1].Then = &c.ops[c.n]
	}
	c.n++
}

// succeeded reports whether all operations have succeeded. A short read has not.
func (c *Chain) succeeded() bool {
	for _, op := range c.ops[:c.n] {
		ioengine.RaceAfter(op.Code, op.Buf, op.Res)
		if op.Res < 0 || op.Code == driver.Read && int(op.Res) < len(op.Buf) {
			return false
		}
	}
	return true
}
