// Package qos puts operations into classes, which have weights and limits. Before an operation may
// need the device it takes a ticket from the device's queue. The ticket grants some of its bytes:
//
//	t, res := queue.Take(ctx, class, file, len(b), fair.Read)
//	if t == nil {
//		return res // ctx has ended, or the file was closed
//	}
//	t.End(read(b[:t.Granted()]))
//
// Package fair decides which ticket is granted next. Package qos lets goroutines wait for their
// tickets, and operations without a waiting goroutine (Waiter).
//
// # Concurrency
//
// All methods may be called at the same time, unless their comments say otherwise.
package qos

import (
	"context"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/usecount"
)

// Class is a kind of operations that share a weight and limits. See package fair.
type Class struct {
	all      *Classes
	ref      *record.ClassRef              // its name in records; nil for the default class
	settings atomic.Pointer[fair.Settings] // written under Classes.mu
	// inQueue has the class in each Queue that it had tickets in, as a *fair.Class, which that
	// queue's mu guards. A removed class keeps queues of forgotten devices.
	inQueue sync.Map
	// earlier has the counts of the class in queues of forgotten devices. Under Classes.mu.
	earlier fair.Stats
	// removed reports whether the class was removed. It is written under Classes.mu, before Remove
	// locks the mu of any Queue. So a request that holds the mu of its Queue and finds it false may
	// still enter the class's queue: Remove will come there later.
	removed atomic.Bool
}

// Settings returns the class's weight and limits.
func (c *Class) Settings() fair.Settings { return *c.settings.Load() }

// Limited reports whether the class has limits, and so may make a cached operation wait.
func (c *Class) Limited() bool { return c.settings.Load().Limited() }

// Ref returns the class's identity in records; nil for the default class.
func (c *Class) Ref() *record.ClassRef { return c.ref }

// classKey is the key of a class in a context.
type classKey struct{ all *Classes }

// WithClass returns a context whose operations on c's Scheduler are of class c.
func WithClass(ctx context.Context, c *Class) context.Context {
	return context.WithValue(ctx, classKey{c.all}, c)
}

// In returns the class of ctx, or nil.
func (c *Classes) In(ctx context.Context) *Class {
	class, _ := ctx.Value(classKey{c}).(*Class)
	return class
}

// Or returns class, or the default class if class is nil or was removed.
func (c *Classes) Or(class *Class) *Class {
	if class == nil || class.removed.Load() {
		return &c.standard
	}
	return class
}

// Classes has the classes of a Scheduler and their queues.
type Classes struct {
	// active is set once a class was made or configured. Until then no operation takes a ticket,
	// and each operation checks only this flag. It stays set when classes are removed: an operation
	// that has read it may still be on its way to a Queue.
	active   atomic.Bool
	standard Class // the default class
	now      func() time.Duration

	mu    sync.Mutex
	all   []*Class                     // the default class first; without removed ones. Under mu
	capOf func(device uint64) fair.Cap // see SetCapFinder
	// queues has a queue for each device that has had operations with tickets. Under mu.
	queues []*Queue
}

// Init sets the clock. It must be called before all other methods.
func (c *Classes) Init(now func() time.Duration) {
	c.now = now
	c.standard.all = c
	c.standard.settings.Store(&fair.Settings{Weight: DefaultWeight})
	c.capOf = func(uint64) fair.Cap { return DefaultCap }
	c.all = []*Class{&c.standard}
}

// DefaultWeight is the weight of the default class.
const DefaultWeight = 100

// Active reports whether operations take tickets.
func (c *Classes) Active() bool { return c.active.Load() }

// Default returns the class of operations that have no other class.
func (c *Classes) Default() *Class { return &c.standard }

// NewQueue returns a queue for the device with a number. FindCap finds the device's cap.
func (c *Classes) NewQueue(device uint64) *Queue {
	c.mu.Lock()
	defer c.mu.Unlock()
	q := &Queue{device: device, fair: fair.Queue{Cap: DefaultCap}, now: c.now, alarm: fair.Never}
	c.queues = append(c.queues, q)
	return q
}

// Forget removes a queue without tickets. It does not touch the timer, because the runtime calls
// Forget outside the bubble of a simulation. The timer then finds nothing to do.
func (c *Classes) Forget(q *Queue) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, class := range c.all {
		if in, ok := class.inQueue.LoadAndDelete(q); ok {
			class.earlier.Add(q.statsOf(in.(*fair.Class)))
		}
	}
	c.queues = slices.DeleteFunc(c.queues, func(other *Queue) bool { return other == q })
}

// New adds a class, with its name in records. From the first class on, operations take tickets.
func (c *Classes) New(name string, o fair.Settings) *Class {
	class := &Class{all: c, ref: &record.ClassRef{Name: name}}
	class.settings.Store(&o)
	class.change(func() { c.all = append(c.all, class) })
	return class
}

// Configure changes the class's weight and limits, also for waiting operations. It returns false,
// and changes nothing, if the class was removed.
func (c *Class) Configure(o fair.Settings) bool {
	return c.change(func() { c.settings.Store(&o) })
}

// Remove removes the class, which must not be the default class. Its operations that wait or run
// keep its weight until they end, without its limits. Later tickets are the default class's. Remove
// returns false if the class was removed before.
func (c *Class) Remove() bool {
	return c.change(func() {
		c.removed.Store(true)
		c.settings.Store(&fair.Settings{Weight: c.Settings().Weight})
		c.all.all = slices.DeleteFunc(c.all.all, func(other *Class) bool { return other == c })
	})
}

// change calls do, which adds, changes or removes the class, with Classes.mu held. It then updates
// the queues. It returns false, and changes nothing, if the class was removed.
func (c *Class) change(do func()) bool {
	c.all.mu.Lock()
	if c.removed.Load() {
		c.all.mu.Unlock()
		return false
	}
	do()
	c.all.active.Store(true)
	c.all.mu.Unlock()
	for _, q := range c.all.list() {
		q.update(c)
		if !c.removed.Load() {
			c.all.FindCap(q)
		}
	}
	return true
}

// Stats returns the class's counts, in all queues.
func (c *Class) Stats() fair.Stats {
	c.all.mu.Lock()
	defer c.all.mu.Unlock()
	sum := c.earlier
	c.inQueue.Range(func(q, in any) bool {
		sum.Add(q.(*Queue).statsOf(in.(*fair.Class)))
		return true
	})
	return sum
}

// RejectFile rejects the waiting tickets of operations on a file that is closing.
func (c *Classes) RejectFile(file *usecount.Count) {
	if !c.Active() {
		return
	}
	for _, q := range c.list() {
		q.mu.Lock()
		out := q.fair.WithdrawIf(func(t *fair.Ticket) bool { return t.Owner.(*Ticket).file == file })
		q.grantAndUnlock()
		for _, t := range out {
			t.Owner.(*Ticket).waiter.Rejected(Closed)
		}
	}
}

func (c *Classes) list() []*Queue {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.queues)
}

// Close stops the timers. No ticket waits any more.
func (c *Classes) Close() {
	for _, q := range c.list() {
		q.mu.Lock()
		q.stopTimer()
		q.mu.Unlock()
		q.alarms.Wait()
	}
}

// DefaultCap is the cap for a device that was not measured. It keeps most devices busy, with little
// to spare: docs/decisions/0023-classes.md.
var DefaultCap = fair.Cap{Depth: 64, Bytes: 4 * fair.Part, Beside: 2 * fair.SmallPart}

// SetCapFinder sets find, which returns the cap of a device, by its number. Without it all devices
// have the default. find is called once there are classes and the device's queue, and whenever a
// class is added or changed. It may wait: no lock is held during the call, and the old cap still
// holds. SetCapFinder must be called before the first operation.
func (c *Classes) SetCapFinder(find func(device uint64) fair.Cap) { c.capOf = find }

// FindCap sets the cap of q to the device's. It may wait; see SetCapFinder.
func (c *Classes) FindCap(q *Queue) {
	found := c.capOf(q.device)
	q.mu.Lock()
	q.fair.Cap = found
	q.grantAndUnlock()
}
