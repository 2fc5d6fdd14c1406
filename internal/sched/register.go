package sched

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// memory is what is registered with the first ring, by its index there. Others
// are told of it when it is first used with them: what a process may register is
// limited, and each ring counts.
type memory struct {
	mu sync.Mutex
	at map[uint32][]byte
}

// slabsMost is how many pieces of memory a ring but the first can know.
const slabsMost = 1024

// slabs is what is registered with a ring but the first, by the index with that:
// 0 is what was not tried, refused what cannot be, and others are driver.Op's Reg.
type slabs struct {
	mu   sync.Mutex // held by who writes regs
	regs [slabsMost]atomic.Int32
}

const refused = -1

// Register makes memory known to the driver, as driver.Registrar says. With a
// driver that is none it is an error that wraps errors.ErrUnsupported.
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

// Unregister forgets memory that Register has made known. No operation that
// names it is in flight.
func (s *Scheduler) Unregister(index int) {
	s.memory.mu.Lock()
	delete(s.memory.at, uint32(index))
	s.memory.mu.Unlock()
	for _, e := range *s.rings.all.Load() {
		if e.slabs != nil && index < slabsMost {
			e.forget(index)
		}
	}
	s.drv.(driver.Registrar).Unregister(index)
}

// forget unregisters memory with a ring but the first.
func (e *engine) forget(index int) {
	e.slabs.mu.Lock()
	defer e.slabs.mu.Unlock()
	if reg := e.slabs.regs[index].Swap(0); reg > 0 {
		e.drv.(driver.Registrar).Unregister(int(reg) - 1)
	}
}

// regIn is by what e's driver knows the memory that the first one knows by reg;
// 0 if it does not.
func (s *Scheduler) regIn(e *engine, reg uint32) uint32 {
	if reg == 0 || e.slabs == nil {
		return reg
	}
	if reg > slabsMost {
		return 0
	}
	switch known := e.slabs.regs[reg-1].Load(); {
	case known > 0:
		return uint32(known)
	case known == refused || !e.slabs.mu.TryLock(): // another is at it: this one goes without
		return 0
	}
	defer e.slabs.mu.Unlock()
	return s.registerIn(e, reg-1)
}

// registerIn registers with e what the first ring knows by index. Under e.slabs.mu,
// while an operation is about to use it.
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
