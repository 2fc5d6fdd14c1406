//go:build sluice_probes

package probe

import (
	"sync"
	"sync/atomic"
)

// Probe is called for each access.
type Probe interface {
	// Step is called before an access. It returns when the calling goroutine may make it.
	Step()
	// Wait is Step for an access that must wait until ready returns true. It may return earlier.
	Wait(ready func() bool)
	// Saw is called with the result of an access.
	Saw(v any)
}

var current Probe

// Set reports all later accesses to p, or to nobody if p is nil. No other goroutine may use the
// types of this package during the call.
func Set(p Probe) { current = p }

func step() {
	if current != nil {
		current.Step()
	}
}

func wait(ready func() bool) {
	if current != nil {
		current.Wait(ready)
	}
}

// probed makes an access with a result.
func probed[T any](access func() T) T {
	step()
	v := access()
	if current != nil {
		current.Saw(v)
	}
	return v
}

// atomically has the methods that the atomic types share. It is a pointer to one of them, A, which
// holds a T.
type atomically[T, A any] interface {
	*A
	Load() T
	Store(T)
	Swap(T) T
	CompareAndSwap(was, v T) bool
}

// value is an A whose accesses are probed.
type value[T, A any, P atomically[T, A]] struct{ v A }

func (x *value[T, A, P]) Load() T { return probed(P(&x.v).Load) }

func (x *value[T, A, P]) Store(v T) {
	step()
	P(&x.v).Store(v)
}

func (x *value[T, A, P]) Swap(v T) T { return probed(func() T { return P(&x.v).Swap(v) }) }

func (x *value[T, A, P]) CompareAndSwap(was, v T) bool {
	return probed(func() bool { return P(&x.v).CompareAndSwap(was, v) })
}

type (
	Uint32         = value[uint32, atomic.Uint32, *atomic.Uint32]
	Bool           = value[bool, atomic.Bool, *atomic.Bool]
	Pointer[T any] = value[*T, atomic.Pointer[T], *atomic.Pointer[T]]
)

// Int32 can also be added to.
type Int32 struct {
	value[int32, atomic.Int32, *atomic.Int32]
}

func (p *Int32) Add(n int32) {
	step()
	p.v.Add(n)
}

// Int64 can also be added to.
type Int64 struct {
	value[int64, atomic.Int64, *atomic.Int64]
}

func (p *Int64) Add(n int64) {
	step()
	p.v.Add(n)
}

type Mutex struct{ m sync.Mutex }

func (p *Mutex) Lock() {
	wait(p.Free)
	p.m.Lock()
}

// Free reports whether no goroutine holds p. It is not an access.
func (p *Mutex) Free() bool {
	free := p.m.TryLock()
	if free {
		p.m.Unlock()
	}
	return free
}

func (p *Mutex) TryLock() bool { return probed(p.m.TryLock) }

func (p *Mutex) Unlock() {
	step()
	p.m.Unlock()
}

// Receive receives from c. A send is not reported: the sender holds a Mutex.
func Receive(c chan struct{}) {
	wait(func() bool { return len(c) > 0 })
	<-c
}
