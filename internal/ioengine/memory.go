package ioengine

import (
	"slices"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// maxSlabs is the most pieces of memory that rings can know.
const maxSlabs = 1024

// slab is a piece of memory of Register. A ring registers it with its driver when it is first used
// there: plain calls have no use of it, a process may register only so much, and each ring counts.
type slab struct {
	mem []byte
	// regs has the driver.Op.Reg of each ring, by Engine.number. It is 0 if the ring has not tried
	// yet, and refused if it cannot register the memory.
	regs [MaxRings]atomic.Int32
}

const refused = -1

// Register lets rings register mem, and returns its number for RegIn. It returns 0 if there are
// too many pieces of memory.
func (r *Rings) Register(mem []byte) (reg uint32) {
	r.slabsMu.Lock()
	defer r.slabsMu.Unlock()
	i := slices.Index(r.slabs[1:], nil)
	if i < 0 {
		return 0
	}
	r.slabs[i+1] = &slab{mem: mem}
	return uint32(i + 1)
}

// Unregister forgets memory of Register. No operation that names it may be in flight.
func (r *Rings) Unregister(reg uint32) {
	for _, e := range r.All() {
		if in := r.slabs[reg].regs[e.number].Load(); in > 0 {
			e.drv.(driver.Registrar).Unregister(int(in) - 1)
		}
	}
	r.slabsMu.Lock()
	defer r.slabsMu.Unlock()
	r.slabs[reg] = nil
}

// Registered reports whether a ring has registered memory of Register.
func (r *Rings) Registered(reg uint32) bool {
	return slices.ContainsFunc(r.All(), func(e *Engine) bool { return r.slabs[reg].regs[e.number].Load() > 0 })
}

// RegIn returns the driver.Op.Reg by which e's driver knows memory of Register. It is 0 if reg is
// 0, or e's driver does not know the memory. The first call registers it, and may wait while
// another thread submits to the ring: the kernel's lock is the same.
func (r *Rings) RegIn(e *Engine, reg uint32) uint32 {
	s := r.slabs[reg]
	// While another goroutine has the lock, it registers some memory.
	if s != nil && s.regs[e.number].Load() == 0 && e.registering.TryLock() {
		if known := &s.regs[e.number]; known.Load() == 0 {
			known.Store(e.register(s.mem))
		}
		e.registering.Unlock()
	}
	return r.KnownIn(e, reg)
}

// KnownIn is RegIn, but registers nothing, and does not wait.
func (r *Rings) KnownIn(e *Engine, reg uint32) uint32 {
	if s := r.slabs[reg]; s != nil {
		return uint32(max(0, s.regs[e.number].Load()))
	}
	return 0
}

// register registers memory with e's driver, and returns its driver.Op.Reg there, or refused.
func (e *Engine) register(mem []byte) int32 {
	if drv, ok := e.drv.(driver.Registrar); ok {
		if i, err := drv.Register(mem); err == nil {
			return int32(i + 1)
		}
	}
	return refused
}
