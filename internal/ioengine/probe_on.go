//go:build probes

package ioengine

import (
	"sync"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
)

// probe is called before and after each access to a shared field.
type probe interface {
	// step returns when the calling goroutine may make its next access.
	step()
	// wait is step for an access that must wait until ready returns true.
	wait(ready func() bool)
	// saw is called with what an access has returned.
	saw(v any)
}

// probed makes an access that returns something.
func probed[T any](p probe, access func() T) T {
	p.step()
	v := access()
	p.saw(v)
	return v
}

// shared is what the atomic types have in common. P is a pointer to one of them, A, which
// holds a T.
type shared[T, A any] interface {
	*A
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(was, v T) bool
}

// probedValue is an A whose accesses are probed.
type probedValue[T, A any, P shared[T, A]] struct {
	v     A
	probe probe
}

func (x *probedValue[T, A, P]) Load() T {
	if x.probe != nil {
		return probed(x.probe, P(&x.v).Load)
	}
	return P(&x.v).Load()
}

func (x *probedValue[T, A, P]) Store(v T) {
	if x.probe != nil {
		x.probe.step()
	}
	P(&x.v).Store(v)
}

func (x *probedValue[T, A, P]) Swap(v T) T {
	if x.probe != nil {
		return probed(x.probe, func() T { return P(&x.v).Swap(v) })
	}
	return P(&x.v).Swap(v)
}

func (x *probedValue[T, A, P]) CompareAndSwap(was, v T) bool {
	if x.probe != nil {
		return probed(x.probe, func() bool { return P(&x.v).CompareAndSwap(was, v) })
	}
	return P(&x.v).CompareAndSwap(was, v)
}

type (
	probedUint32 = probedValue[uint32, atomic.Uint32, *atomic.Uint32]
	probedBool   = probedValue[bool, atomic.Bool, *atomic.Bool]
	probedOp     = probedValue[*driver.Op, atomic.Pointer[driver.Op], *atomic.Pointer[driver.Op]]
)

// probedInt32 can also be added to.
type probedInt32 struct {
	probedValue[int32, atomic.Int32, *atomic.Int32]
}

func (p *probedInt32) Add(n int32) {
	if p.probe != nil {
		p.probe.step()
	}
	p.v.Add(n)
}

type probedMutex struct {
	m     sync.Mutex
	probe probe
}

func (p *probedMutex) Lock() {
	if p.probe != nil {
		p.probe.wait(p.free)
	}
	p.m.Lock()
}

func (p *probedMutex) free() bool {
	free := p.m.TryLock()
	if free {
		p.m.Unlock()
	}
	return free
}

func (p *probedMutex) TryLock() bool {
	if p.probe != nil {
		return probed(p.probe, p.m.TryLock)
	}
	return p.m.TryLock()
}

func (p *probedMutex) Unlock() {
	if p.probe != nil {
		p.probe.step()
	}
	p.m.Unlock()
}

// receive receives from c. The goroutine that sends to c holds mu.
func receive(mu *probedMutex, c chan struct{}) {
	if mu.probe != nil {
		mu.probe.wait(func() bool { return len(c) > 0 })
	}
	<-c
}
