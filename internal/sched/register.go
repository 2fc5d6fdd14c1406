package sched

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// memory is the memory that is registered with the first ring, by its index there. It is
// registered with another ring when it is first used there: a process may register only so
// much, and each ring counts.
type memory struct {
	mu sync.Mutex
	at map[uint32][]byte
}

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

// Register makes memory known to the driver; see driver.Registrar. If the driver cannot do
// that, the error wraps errors.ErrUnsupported.
func (s *Scheduler) Register(mem []byte) (index int, err error) {
	r, ok := s.drv.(driver.Registrar)
	if !ok {
		return 0, fmt.Errorf("the driver %s does not register memory: %w", s.drv.Info().Name, errors.ErrUnsupported)
	}
	index, err = r.Register(mem)
	if err == nil && s.rings.open != nil {
		s.memory.mu.Lock()
		defer s.memory.mu.Unlock()
		s.memory.at[uint32(index)] = mem
	}
	return index, err
}

// Unregister forgets memory that Register has made known. No operation that names it may be in
// flight.
func (s *Scheduler) Unregister(index int) {
	s.memory.mu.Lock()
	delete(s.memory.at, uint32(index))
	s.memory.mu.Unlock()
	for _, e := range *s.rings.all.Load() {
		if e.slabs != nil && index < maxSlabs {
			e.forget(index)
		}
	}
	s.drv.(driver.Registrar).Unregister(index)
}

// forget unregisters memory with e, which is not the first ring.
func (e *engine) forget(index int) {
	e.slabs.mu.Lock()
	defer e.slabs.mu.Unlock()
	if reg := e.slabs.regs[index].Swap(0); reg > 0 {
		e.drv.(driver.Registrar).Unregister(int(reg) - 1)
	}
}

// regIn returns the driver.Op.Reg by which e's driver knows the memory that the first ring
// knows by reg. It is 0 if e's driver does not know it.
func (s *Scheduler) regIn(e *engine, reg uint32) uint32 {
	if reg == 0 || e.slabs == nil {
		return reg
	}
	if reg > maxSlabs {
		return 0
	}
	switch known := e.slabs.regs[reg-1].Load(); {
	case known > 0:
		return uint32(known)
	case known == refused || !e.slabs.mu.TryLock(): // registered by another goroutine just now
		return 0
	}
	defer e.slabs.mu.Unlock()
	return s.registerIn(e, reg-1)
}

// registerIn registers the memory that the first ring knows by index with e, and returns its
// driver.Op.Reg. It must be called with e.slabs.mu held, for an operation that is about to
// use the memory.
func (s *Scheduler) registerIn(e *engine, index uint32) uint32 {
	s.memory.mu.Lock()
	mem := s.memory.at[index]
	s.memory.mu.Unlock()
	known := &e.slabs.regs[index]
	if mem == nil || known.Load() != 0 {
		return uint32(max(0, known.Load()))
	}
	i, err := e.drv.(driver.Registrar).Register(mem)
	if err != nil {
		known.Store(refused)
		return 0
	}
	known.Store(int32(i + 1))
	return uint32(i + 1)
}
