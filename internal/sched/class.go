package sched

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/record"
)

// Class is a kind of operations, which have a weight and limits in common. See
// package fair.
type Class struct {
	s        *Scheduler
	ref      *record.ClassRef // what records know it by; nil of the default one
	settings fair.Settings    // under classes.mu
	// fair is what it is at each ring: each under the mu of its turnstile, and
	// written before the ring, or the class, is known to others.
	fair [RingsMost]*fair.Class
	// limited tells whether there are limits. Written under classes.mu; who
	// reads what is cached asks it without.
	limited atomic.Bool
}

// classKey finds a class in a context: that of one Scheduler.
type classKey struct{ s *Scheduler }

// WithClass returns a context whose operations on c's Scheduler are c's.
func WithClass(ctx context.Context, c *Class) context.Context {
	return context.WithValue(ctx, classKey{c.s}, c)
}

// ClassIn returns the Scheduler's class that ctx has, or nil.
func (s *Scheduler) ClassIn(ctx context.Context) *Class {
	c, _ := ctx.Value(classKey{s}).(*Class)
	return c
}

// classOf returns whose an operation on f is: the file's, if it is a view with a
// class, or the context's, or the default one.
func (s *Scheduler) classOf(ctx context.Context, f *File) *Class {
	if f.class != nil {
		return f.class
	}
	return s.classOr(s.ClassIn(ctx))
}

// classOr returns c, or the default class if that is nil.
func (s *Scheduler) classOr(c *Class) *Class {
	if c == nil {
		return &s.classes.standard
	}
	return c
}

// classes is a Scheduler's classes. Each ring has a queue for them, and counts what
// is in flight by itself.
type classes struct {
	standard Class // the default one

	mu  sync.Mutex
	all []*Class // the default one first. Under mu, as is cap
	cap fair.Cap
	// capOf tells the cap of a device; nil: cap is that of all. See CapBy.
	capOf func(device uint64) fair.Cap
}

func (s *Scheduler) initClasses() {
	k := &s.classes
	k.cap = DefaultCap
	k.standard.s = s
	k.standard.settings = fair.Settings{Weight: DefaultWeight}
	k.all = []*Class{&k.standard}
}

// addTurnstile gives e, a ring that is new, its turnstile. Under classes.mu, if
// anybody else is there.
func (s *Scheduler) addTurnstile(e *engine) {
	e.turns = newTurnstile(e.number, func() time.Duration { return s.now() }, s.capOf(e))
	for _, c := range s.classes.all {
		e.turns.add(c, c.settings)
	}
}

// NewClass adds a class, which records know by that name. From the first one on
// operations take turns.
func (s *Scheduler) NewClass(name string, o fair.Settings) *Class {
	defer s.recapAll()
	s.classes.mu.Lock()
	defer s.classes.mu.Unlock()
	c := &Class{s: s, ref: &record.ClassRef{Name: name}, settings: o}
	c.limited.Store(o.Limited())
	for _, e := range *s.rings.all.Load() {
		e.turns.add(c, o)
	}
	s.classes.all = append(s.classes.all, c)
	s.classed.Store(true)
	return c
}

// DefaultClass returns the class of operations that have no other.
func (s *Scheduler) DefaultClass() *Class { return &s.classes.standard }

// Classed tells whether operations take turns.
func (s *Scheduler) Classed() bool { return s.classed.Load() }

// changeTurns changes each ring's turnstile, under its mu. It returns the Transfers
// that may begin, to be started without classes.mu, which it is called under: what
// they start may need another ring.
func (s *Scheduler) changeTurns(change func(*engine)) (granted turnList) {
	for _, e := range *s.rings.all.Load() {
		begun := e.changeTurns(change)
		for u := begun.pop(); u != nil; u = begun.pop() {
			granted.add(u)
		}
	}
	return granted
}

// changeTurns is Scheduler.changeTurns of one ring.
func (e *engine) changeTurns(change func(*engine)) (granted turnList) {
	e.turns.mu.Lock()
	defer e.turns.mu.Unlock()
	change(e)
	return e.turns.turnOver()
}

// Configure changes the class's weight and limits, also for what waits.
func (c *Class) Configure(o fair.Settings) {
	s := c.s
	s.classes.mu.Lock()
	c.settings = o
	c.limited.Store(o.Limited())
	s.classed.Store(true)
	granted := s.changeTurns(func(e *engine) { c.fair[e.number].Configure(e.turns.now(), o) })
	s.classes.mu.Unlock()
	granted.start()
	s.recapAll()
}

// Settings returns the class's weight and limits.
func (c *Class) Settings() fair.Settings {
	c.s.classes.mu.Lock()
	defer c.s.classes.mu.Unlock()
	return c.settings
}

// Stats returns what the class has done, at all rings.
func (c *Class) Stats() fair.Stats {
	var sum fair.Stats
	for _, e := range *c.s.rings.all.Load() {
		e.turns.mu.Lock()
		sum.Add(c.fair[e.number].Stats())
		e.turns.mu.Unlock()
	}
	return sum
}

// refuseTurns refuses what waits for its turn with f, which is closing.
func (s *Scheduler) refuseTurns(f *File) {
	if !s.classed.Load() {
		return
	}
	for _, e := range *s.rings.all.Load() {
		e.turns.closeFile(f)
	}
}

// DefaultWeight is that of the default class.
const DefaultWeight = 100
