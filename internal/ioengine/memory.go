package ioengine

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// maxSlabs is the most pieces of memory that rings other than the first can know.
const maxSlabs = 1024

// slab is a piece of memory that is registered with the first ring. It is registered with another
// ring when it is first used there: a process may register only so much, and each ring counts.
type slab struct {
	mem []byte
	// regs has the driver.Op.Reg of each other ring, by Engine.number. It is 0 if the ring has not
	// tried yet, and refused if it cannot register the memory.
	regs [MaxRings]atomic.Int32
}

const refused = -1

// Register makes memory known to the driver of the first ring; see driver.Registrar. If the
// driver cannot do that, the error wraps errors.ErrUnsupported.
func (r *Rings) Register(mem []byte) (index int, err error) {
	if r.first == nil {
		return 0, driver.ErrClosed // see iopath.Paths.EndChoice
	}
	reg, ok := r.first.drv.(driver.Registrar)
	if !ok {
		return 0, fmt.Errorf("the driver %s does not register memory: %w", r.first.drv.Info().Name, errors.ErrUnsupported)
	}
	index, err = reg.Register(mem)
	if err == nil && index < maxSlabs {
		r.slabs[index] = &slab{mem: mem}
	}
	return index, err
}

// Unregister forgets memory of Register. No operation that names it may be in flight.
func (r *Rings) Unregister(index int) {
	if index < maxSlabs {
		for _, e := range r.All() {
			if reg := r.slabs[index].regs[e.number].Load(); reg > 0 {
				e.drv.(driver.Registrar).Unregister(int(reg) - 1)
			}
		}
		r.slabs[index] = nil
	}
	r.first.drv.(driver.Registrar).Unregister(index)
}

// RegIn returns the driver.Op.Reg by which e's driver knows the memory that the first ring
// knows by reg. It is 0 if e's driver does not know it.
func (r *Rings) RegIn(e *Engine, reg uint32) uint32 {
	if reg == 0 || e.number == 0 {
		return reg
	}
	if reg > maxSlabs || r.slabs[reg-1] == nil {
		return 0
	}
	s := r.slabs[reg-1]
	known := &s.regs[e.number]
	if known.Load() == 0 && r.registering.TryLock() { // else another goroutine registers some now
		if known.Load() == 0 {
			in := int32(refused)
			if i, err := e.drv.(driver.Registrar).Register(s.mem); err == nil {
				in = int32(i + 1)
			}
			known.Store(in)
		}
		r.registering.Unlock()
	}
	return uint32(max(0, known.Load()))
}
