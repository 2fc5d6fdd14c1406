package drivertest

import (
	"sync"
	"sync/atomic"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// broken is a driver with one defect, or none. Stage has the defect, too.
type broken struct {
	driver.Driver
	how string

	mu     sync.Mutex
	staged []*driver.Op
	stale  atomic.Pointer[driver.Op] // the last operation that was cancelled
	taken  []*driver.Op
	closed atomic.Bool
	wakes  atomic.Int32
	reaped int
	polls  polls

	memory map[int][]byte      // registered memory
	known  int                 // the number of calls of Register
	bad    map[*driver.Op]bool // operations outside of the memory that they name
}

func (b *broken) is(how string) bool { return b.how == how }

func (b *broken) Info() driver.Info {
	i := b.Driver.Info()
	switch b.how {
	case "deep", "stagedeep":
		i.Depth--
	case "shallow":
		i.Depth++
	case "info":
		i.Depth += b.reaped
	}
	return i
}

func (b *broken) Submit(ops []*driver.Op) (int, error) {
	if b.closed.Load() && b.is("closed") {
		return 0, nil
	}
	b.mu.Lock()
	b.flush()
	b.mu.Unlock()
	if b.is("none") && len(ops) == 0 {
		return 1, nil
	}
	if b.is("refuses") && len(ops) > 0 {
		return b.Driver.Submit(ops[1:])
	}
	b.breakAll(ops)
	b.polls.owed.Add(int32(len(ops)))
	n, err := b.submit(ops)
	b.polls.owed.Add(int32(n - len(ops)))
	b.mu.Lock()
	defer b.mu.Unlock()
	b.taken = append(b.taken, ops[:n]...)
	return n, err
}

// breakAll breaks operations before they are performed.
func (b *broken) breakAll(ops []*driver.Op) {
	for _, op := range ops {
		if b.outside(op) {
			b.mu.Lock()
			b.bad[op] = true
			b.mu.Unlock()
			op.Code = driver.Nop
		}
		switch {
		case b.is("place") && op.Code == driver.Read && op.Off > 0:
			op.Off--
		case b.is("tail") && op.Code == driver.Write && len(op.Buf) > 10:
			op.Buf = op.Buf[:len(op.Buf)-1]
		case b.is("large") && len(op.Buf) > 1<<20:
			op.Buf = op.Buf[:1<<20]
		case b.is("syncs") && op.Code == driver.Fdatasync:
			op.Code = 100
		case b.is("nosync") && (op.Code == driver.Fsync || op.Code == driver.Fdatasync):
			op.Code = driver.Nop
		case b.is("unknown") && op.Code > driver.Fdatasync:
			op.Code = driver.Nop
		}
	}
}

// repair restores the fields of an operation, and breaks its result.
func (b *broken) repair(op *driver.Op) {
	t, ok := op.Owner.(*tracker)
	if !ok {
		return
	}
	short := len(t.before.Buf) - len(op.Buf)
	if !b.is("changes") {
		op.Code, op.Off, op.Buf = t.before.Code, t.before.Off, t.before.Buf
	} else {
		op.Off++
	}
	b.mu.Lock()
	bad := b.bad[op]
	delete(b.bad, op)
	b.mu.Unlock()
	switch {
	case bad:
		op.Res = fault
	case op.Res > 0:
		if !b.is("large") {
			op.Res += int32(short)
		}
		if b.is("claims") && op.Code == driver.Write {
			op.Res = int32(len(op.Buf))
		}
		if b.is("result") && op.Code == driver.Read && op.Res > 500 {
			op.Res--
		}
		if b.is("grows") && op.Code == driver.Read && int(op.Res) < len(op.Buf) {
			op.Buf[op.Res]++
		}
	case b.is("zero") && op.Code == driver.Read && len(op.Buf) == 0:
		op.Res = invalid
	case b.is("errno") && op.Res < 0:
		op.Res = -int32(syscall.EIO)
	case b.is("noresult"):
		op.Res = unset
	}
	if stale := b.stale.Load(); stale == op && b.is("cancels") || stale != nil && stale != op && b.is("cancelsother") {
		op.Res = canceled
	}
}
