package sched

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/record"
)

// Class is a kind of operations that have a weight and limits in common. See package
// fair.
type Class struct {
	s        *Scheduler
	ref      *record.ClassRef // its name in records; nil for the default class
	settings fair.Settings    // under classes.mu
	// fair is the class in the fair queue of each ring, by the ring's number. Each
	// is guarded by that queue's mu, and is written before the ring, or the class,
	// is known to others.
	fair [MaxRings]*fair.Class
	// limited reports whether the class has limits. Written under classes.mu.
	// Operations read it without.
	limited atomic.Bool
}

// classKey is the key of a Scheduler's class in a context.
type classKey struct{ s *Scheduler }

// WithClass returns a context whose operations on c's Scheduler are of class c.
func WithClass(ctx context.Context, c *Class) context.Context {
	return context.WithValue(ctx, classKey{c.s}, c)
}

// ClassIn returns the class of this Scheduler that ctx has, or nil.
func (s *Scheduler) ClassIn(ctx context.Context) *Class {
	c, _ := ctx.Value(classKey{s}).(*Class)
	return c
}

// classOf returns the class of an operation on f: the file's, if f is a view with a
// class, else the context's, else the default class.
func (s *Scheduler) classOf(ctx context.Context, f *File) *Class {
	if f.class != nil {
		return f.class
	}
	return s.classOr(s.ClassIn(ctx))
}

// classOr returns c, or the default class if c is nil.
func (s *Scheduler) classOr(c *Class) *Class {
	if c == nil {
		return &s.classes.standard
	}
	return c
}

// classes is a Scheduler's classes. Each ring has a fair queue for them, and counts
// by itself what is in flight.
type classes struct {
	standard Class // the default class

	mu  sync.Mutex
	all []*Class // the default class first. Guarded by mu, as is cap
	cap fair.Cap
	// capOf returns the cap of a device. If it is nil, cap holds for all. See
	// SetCapFinder.
	capOf func(device uint64) fair.Cap
}

func (s *Scheduler) initClasses() {
	k := &s.classes
	k.cap = DefaultCap
	k.standard.s = s
	k.standard.settings = fair.Settings{Weight: DefaultWeight}
	k.all = []*Class{&k.standard}
}

// addFairQueue gives e, a new ring, its fair queue. It must be called with classes.mu
// held, unless the Scheduler is being made.
func (s *Scheduler) addFairQueue(e *engine) {
	e.fairQueue = newFairQueue(e.number, func() time.Duration { return s.now() }, s.capOf(e))
	for _, c := range s.classes.all {
		e.fairQueue.add(c, c.settings)
	}
}

// NewClass adds a class, which records show by that name. From the first one on,
// operations take tickets.
func (s *Scheduler) NewClass(name string, o fair.Settings) *Class {
	defer s.updateCaps()
	s.classes.mu.Lock()
	defer s.classes.mu.Unlock()
	c := &Class{s: s, ref: &record.ClassRef{Name: name}, settings: o}
	c.limited.Store(o.Limited())
	for _, e := range *s.rings.all.Load() {
		e.fairQueue.add(c, o)
	}
	s.classes.all = append(s.classes.all, c)
	s.hasClasses.Store(true)
	return c
}

// DefaultClass returns the class of operations that have no other.
func (s *Scheduler) DefaultClass() *Class { return &s.classes.standard }

// HasClasses reports whether operations take tickets.
func (s *Scheduler) HasClasses() bool { return s.hasClasses.Load() }

// changeQueues calls change for each ring, with the mu of its fair queue held, and
// returns the Transfers that may begin. It is called with classes.mu held. The caller
// must start them after it has unlocked that: they may start another ring, which takes
// classes.mu.
func (s *Scheduler) changeQueues(change func(*engine)) (granted ticketList) {
	for _, e := range *s.rings.all.Load() {
		begun := e.changeQueue(change)
		for u := begun.pop(); u != nil; u = begun.pop() {
			granted.add(u)
		}
	}
	return granted
}

// changeQueue is Scheduler.changeQueues for one ring.
func (e *engine) changeQueue(change func(*engine)) (granted ticketList) {
	e.fairQueue.mu.Lock()
	defer e.fairQueue.mu.Unlock()
	change(e)
	return e.fairQueue.grantLocked()
}

// Configure changes the class's weight and limits, also for operations that wait.
func (c *Class) Configure(o fair.Settings) {
	s := c.s
	s.classes.mu.Lock()
	c.settings = o
	c.limited.Store(o.Limited())
	s.hasClasses.Store(true)
	granted := s.changeQueues(func(e *engine) { c.fair[e.number].Configure(e.fairQueue.now(), o) })
	s.classes.mu.Unlock()
	granted.start()
	s.updateCaps()
}

// Settings returns the class's weight and limits.
func (c *Class) Settings() fair.Settings {
	c.s.classes.mu.Lock()
	defer c.s.classes.mu.Unlock()
	return c.settings
}

// Stats returns what the class has done, in all rings.
func (c *Class) Stats() fair.Stats {
	var sum fair.Stats
	for _, e := range *c.s.rings.all.Load() {
		e.fairQueue.mu.Lock()
		sum.Add(c.fair[e.number].Stats())
		e.fairQueue.mu.Unlock()
	}
	return sum
}

// rejectTickets rejects the tickets that wait for operations on f, which is closing.
func (s *Scheduler) rejectTickets(f *File) {
	if !s.hasClasses.Load() {
		return
	}
	for _, e := range *s.rings.all.Load() {
		e.fairQueue.closeFile(f)
	}
}

// DefaultWeight is the weight of the default class.
const DefaultWeight = 100
