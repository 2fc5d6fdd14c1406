package ioengine

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/pressure"
	"github.com/sluiceio/sluice/internal/record"
)

// MaxRings is the most rings that there can be, of all devices together.
const MaxRings = 32

// Rings is the engines of a Scheduler, each with its own driver. Each of the first devices has its
// own ring, so that a device that takes no more requests holds up no other one. Further devices
// share these rings, and a busy device has more of them (Group): docs/decisions/0024-rings.md.
type Rings struct {
	// The owner sets these functions before the first operation. OnLoss is called once for each
	// ring whose driver is lost, and must not wait. Now is a clock that never goes back. PerDevice
	// returns the most rings that one device may have now.
	OnLoss    func()
	Now       func() time.Duration
	PerDevice func() int

	// Processors is whether goroutines that compute have all processors, as leaders and other
	// goroutines have found, by the clock Now.
	Processors pressure.Signal

	// open opens the driver of another ring, and most is the most devices that do not share one;
	// see SetMost. If open is nil, all devices share one ring.
	open func(*record.Hook) (driver.Driver, error)
	most int

	// closing counts the Closes of files in progress. See Engine.leaderRequests.
	closing atomic.Int32
	lost    atomic.Bool // set when the driver of a ring is lost; see lost.go

	lossesMu sync.Mutex
	losses   []Loss // of all Engines, rings of r or not. Under lossesMu

	// slabs has the memory of Register, by its number; number 0 is no memory. Register and
	// Unregister write an element before and after all operations that name it, under slabsMu.
	slabs   [1 + maxSlabs]*slab
	slabsMu sync.Mutex // not held while a ring registers a slab, which may wait for its device

	mu      sync.Mutex
	devices atomic.Int32 // how many devices have a ring. Written under mu
	grown   int          // how many rings are the second, or third … of a device. Under mu
	openErr error        // why open failed when it was last called, or nil. Under mu
	// hook is for the next ring, if there is one already: open has failed with it. Under mu
	hook *record.Hook
	all  ringList // all rings
	// Shared has the first ring. It is the Group of all devices if there are not several rings, and
	// of files on no device.
	Shared Group
}

// Init starts the first ring, on drv, and has hook record it. Before that there are no rings.
// SetMost may be called before Init or after it.
func (r *Rings) Init(drv driver.Driver, hook *record.Hook) {
	r.most = max(r.most, 1)
	r.add(drv, hook)
	r.Shared.list.set(r.All())
}

func (r *Rings) add(drv driver.Driver, hook *record.Hook) *Engine {
	e := New(drv, r, hook)
	e.number = len(r.All())
	r.all.set(append(slices.Clip(r.All()), e))
	return e
}

// SetMost lets up to most devices, at most MaxRings, each have a ring. open opens the driver of one
// ring; the Hook records that ring. SetMost must be called before the first operation.
func (r *Rings) SetMost(most int, open func(*record.Hook) (driver.Driver, error)) {
	if most > 1 {
		r.most, r.open = min(most, MaxRings), open
	}
}

// Most returns how many devices may have a ring that they do not share.
func (r *Rings) Most() int { return r.most }

// All returns the rings. The caller must not change the slice.
func (r *Rings) All() []*Engine { return r.all.get() }

// Lost reports whether the driver of a ring was lost. Then no ring is to be used any more.
func (r *Rings) Lost() bool { return r.lost.Load() }

// OpenError returns why another ring could not be opened when that was last tried, or nil.
func (r *Rings) OpenError() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.openErr
}

// OneDevice reports whether exactly one device has a ring.
func (r *Rings) OneDevice() bool { return r.devices.Load() == 1 }

// Claim stores the Group of one more device in of. It has a ring that no device has, or else the
// least used ring. Claim returns false if of has a Group already. The caller gives the Group back
// with Leave when the device is gone.
func (r *Rings) Claim(of *atomic.Pointer[Group]) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if of.Load() != nil {
		return false
	}
	used := 0
	for _, e := range r.All() {
		if len(e.groups) > 0 {
			used++
		}
	}
	g := new(Group)
	e := r.unused(g, used-r.grown < r.most)
	if e == nil {
		e = leastUsed(r.All())
	}
	g.add(e)
	r.devices.Add(1)
	of.Store(g)
	return true
}

// Leave notes that the device of g is gone.
func (r *Rings) Leave(g *Group) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, e := range g.list.get() {
		r.release(e, g)
	}
	r.grown -= g.Len() - 1
	r.devices.Add(-1)
}

// leastUsed returns the ring with the fewest devices, of some rings. Of several, it is the one with
// the fewest operations in flight: a device may hang, and one that is gone counts until its cleanup
// has run. It must be called with mu held.
func leastUsed(of []*Engine) *Engine {
	return slices.MinFunc(of, func(a, b *Engine) int {
		return cmp.Or(cmp.Compare(len(a.groups), len(b.groups)), cmp.Compare(a.inflight.Load(), b.inflight.Load()))
	})
}

// release notes that the device of g does not use e any more. It must be called with mu held.
func (r *Rings) release(e *Engine, g *Group) {
	at := slices.Index(e.groups, g)
	e.groups, e.left = slices.Delete(e.groups, at, at+1), g
	e.group.Store(append(e.groups, nil)[0]) // the oldest, or nil
}

// unused returns a ring for g, which no other device has, nor a RequestSet of one that had it. If
// there is none, and open says so, it starts one. It returns nil if that fails, and for the next
// device it is tried again: a process may lack descriptors only for a moment. It must be called
// with mu held.
func (r *Rings) unused(g *Group, open bool) *Engine {
	free := slices.DeleteFunc(slices.Clone(r.All()), func(e *Engine) bool {
		return len(e.groups) > 0 || e.sets.Load() > 0 && e.left != g
	})
	if len(free) > 0 {
		return leastUsed(free)
	}
	if !open || len(r.All()) >= MaxRings || r.lost.Load() {
		return nil
	}
	if r.hook == nil {
		r.hook = r.All()[0].hook.Another()
	}
	drv, err := r.open(r.hook)
	r.openErr = err
	if err != nil {
		return nil
	}
	hook := r.hook
	r.hook = nil
	return r.add(drv, hook)
}

// HasLeader reports whether any ring has a leader.
func (r *Rings) HasLeader() bool { return slices.ContainsFunc(r.All(), (*Engine).HasLeader) }

// RequireLeaders starts a leader in each ring that has operations and no leader. Until
// ReleaseLeaders is called, a leader does not retire before everything in flight has been reaped.
// This also holds for rings that are started until then.
func (r *Rings) RequireLeaders() {
	r.closing.Add(1)
	for _, e := range r.All() {
		e.ensureLeader()
	}
}

// ReleaseLeaders ends what RequireLeaders began.
func (r *Rings) ReleaseLeaders() { r.closing.Add(-1) }
