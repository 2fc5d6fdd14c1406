package ioengine

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// maxSlabs is the most pieces of memory that a ring other than the first can know.
const maxSlabs = 1024

// slabs is the memory that is registered with a ring other than the first. The key is the
// index of the memory in the first ring. The value is 0 if this ring has not tried yet,
// refused if it cannot register the memory, and otherwise the driver.Op.Reg of this ring.
type slabs struct {
	mu   sync.Mutex // held by the goroutine that writes regs
	regs [maxSlabs]atomic.Int32
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
	if err == nil && r.open != nil {
		r.memory.mu.Lock()
		defer r.memory.mu.Unlock()
		r.memory.at[uint32(index)] = mem
	}
	return index, err
}

// Unregister forgets memory of Register. No operation that names it may be in flight.
func (r *Rings) Unregister(index int) {
	r.memory.mu.Lock()
	delete(r.memory.at, uint32(index))
	r.memory.mu.Unlock()
	for _, e := range r.All() {
		if e.slabs != nil && index < maxSlabs {
			e.forget(index)
		}
	}
	r.first.drv.(driver.Registrar).Unregister(index)
}

// forget unregisters memory with e, which is not the first ring.
func (e *Engine) forget(index int) {
	e.slabs.mu.Lock()
	defer e.slabs.mu.Unlock()
	if reg := e.slabs.regs[index].Swap(0); reg > 0 {
		e.drv.(driver.Registrar).Unregister(int(reg) - 1)
	}
}

// RegIn returns the driver.Op.Reg by which e's driver knows the memory that the first ring
// knows by reg. It is 0 if e's driver does not know it.
func (r *Rings) RegIn(e *Engine, reg uint32) uint32 {
	if reg == 0 || e.slabs == nil {
		return reg
	}
	if reg > maxSlabs {
		return 0
	}
	known := &e.slabs.regs[reg-1]
	if known.Load() == 0 && e.slabs.mu.TryLock() { // else another goroutine registers some now
		r.registerIn(e, reg-1)
		e.slabs.mu.Unlock()
	}
	return uint32(max(0, known.Load()))
}

// registerIn registers the memory that the first ring knows by index with e. It must be called with
// e.slabs.mu held, before an operation uses the memory.
func (r *Rings) registerIn(e *Engine, index uint32) {
	r.memory.mu.Lock()
	mem := r.memory.at[index]
	r.memory.mu.Unlock()
	known := &e.slabs.regs[index]
	if mem == nil || known.Load() != 0 {
		return
	}
	reg := int32(refused)
	if i, err := e.drv.(driver.Registrar).Register(mem); err == nil {
		reg = int32(i + 1)
	}
	known.Store(reg)
}
