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

type probedInt32 struct {
	v     atomic.Int32
	probe probe
}

func (x *probedInt32) Load() int32 {
	if x.probe != nil {
		return probed(x.probe, x.v.Load)
	}
	return x.v.Load()
}

func (x *probedInt32) Add(n int32) {
	if x.probe != nil {
		x.probe.step()
	}
	x.v.Add(n)
}

type probedUint32 struct {
	v     atomic.Uint32
	probe probe
}

func (x *probedUint32) Load() uint32 {
	if x.probe != nil {
		return probed(x.probe, x.v.Load)
	}
	return x.v.Load()
}

func (x *probedUint32) Store(v uint32) {
	if x.probe != nil {
		x.probe.step()
	}
	x.v.Store(v)
}

func (x *probedUint32) CompareAndSwap(was, v uint32) bool {
	if x.probe != nil {
		return probed(x.probe, func() bool { return x.v.CompareAndSwap(was, v) })
	}
	return x.v.CompareAndSwap(was, v)
}

type probedBool struct {
	v     atomic.Bool
	probe probe
}

func (x *probedBool) Load() bool {
	if x.probe != nil {
		return probed(x.probe, x.v.Load)
	}
	return x.v.Load()
}

func (x *probedBool) Store(v bool) {
	if x.probe != nil {
		x.probe.step()
	}
	x.v.Store(v)
}

type probedOp struct {
	v     atomic.Pointer[driver.Op]
	probe probe
}

func (x *probedOp) Load() *driver.Op {
	if x.probe != nil {
		return probed(x.probe, x.v.Load)
	}
	return x.v.Load()
}

func (x *probedOp) Store(op *driver.Op) {
	if x.probe != nil {
		x.probe.step()
	}
	x.v.Store(op)
}

func (x *probedOp) Swap(op *driver.Op) *driver.Op {
	if x.probe != nil {
		return probed(x.probe, func() *driver.Op { return x.v.Swap(op) })
	}
	return x.v.Swap(op)
}

func (x *probedOp) CompareAndSwap(was, op *driver.Op) bool {
	if x.probe != nil {
		return probed(x.probe, func() bool { return x.v.CompareAndSwap(was, op) })
	}
	return x.v.CompareAndSwap(was, op)
}

type probedMutex struct {
	m     sync.Mutex
	probe probe
}

func (x *probedMutex) Lock() {
	if x.probe != nil {
		x.probe.wait(x.free)
	}
	x.m.Lock()
}

func (x *probedMutex) free() bool {
	free := x.m.TryLock()
	if free {
		x.m.Unlock()
	}
	return free
}

func (x *probedMutex) TryLock() bool {
	if x.probe != nil {
		return probed(x.probe, x.m.TryLock)
	}
	return x.m.TryLock()
}

func (x *probedMutex) Unlock() {
	if x.probe != nil {
		x.probe.step()
	}
	x.m.Unlock()
}

// receive receives from c. The goroutine that sends to c holds mu.
func receive(mu *probedMutex, c chan struct{}) {
	if mu.probe != nil {
		mu.probe.wait(func() bool { return len(c) > 0 })
	}
	<-c
}
