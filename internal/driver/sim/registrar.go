package sim

import (
	"fmt"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

var _ driver.Registrar = (*Queue)(nil)

// Register implements driver.Registrar. It makes nothing faster, but finds operations whose buffer
// is not in the memory that they name.
func (q *Queue) Register(mem []byte) (index int, err error) {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	switch {
	case q.closed:
		return 0, driver.ErrClosed
	case len(mem) == 0:
		return 0, syscall.EFAULT
	}
	for q.memory[index] != nil {
		index++
	}
	q.memory[index] = mem
	return index, nil
}

// Unregister implements driver.Registrar. It panics if an operation in flight names the
// memory.
func (q *Queue) Unregister(index int) {
	q.d.mu.Lock()
	defer q.d.mu.Unlock()
	if q.memory[index] == nil {
		panic(fmt.Sprintf("sim: Unregister(%d): no memory is registered with this index", index))
	}
	for _, f := range q.pending {
		if f.op.Reg == uint32(index)+1 && f.op.Buf != nil {
			panic(fmt.Sprintf("sim: Unregister(%d) with an operation in flight that names it", index))
		}
	}
	delete(q.memory, index)
}

// outside reports whether op's buffer is outside the memory that it names.
func (q *Queue) outside(op *driver.Op) bool {
	if op.Reg == 0 || len(op.Buf) == 0 {
		return false
	}
	return !sys.Inside(op.Buf, q.memory[int(op.Reg-1)])
}
