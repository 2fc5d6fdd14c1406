package sched

import (
	"context"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/record"
)

// Class is a kind of operations, which have a weight and limits in common. See
// package fair.
type Class struct {
	s    *Scheduler
	fair *fair.Class      // under s.classes.mu
	ref  *record.ClassRef // what records know it by; nil of the default one
	// limited tells whether there are limits. Written under s.classes.mu; who
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

// NewClass adds a class, which records know by that name. From the first one on
// operations take turns.
func (s *Scheduler) NewClass(name string, o fair.Settings) *Class {
	c := &Class{s: s, ref: &record.ClassRef{Name: name}}
	s.classes.add(c, o)
	return c
}

// DefaultClass returns the class of operations that have no other.
func (s *Scheduler) DefaultClass() *Class { return &s.classes.standard }

// Classed tells whether operations take turns.
func (s *Scheduler) Classed() bool { return s.classed.Load() }

// SetCap bounds what is in flight while operations take turns.
func (s *Scheduler) SetCap(c fair.Cap) {
	k := &s.classes
	k.mu.Lock()
	k.queue.SetCap(c)
	k.passOn()
}

// Cap tells that bound.
func (s *Scheduler) Cap() fair.Cap {
	s.classes.mu.Lock()
	defer s.classes.mu.Unlock()
	return s.classes.queue.Cap()
}

// Configure changes the class's weight and limits, also for what waits.
func (c *Class) Configure(o fair.Settings) {
	k := &c.s.classes
	k.mu.Lock()
	c.fair.Configure(c.s.now(), o)
	c.limited.Store(o.Limited())
	k.classed.Store(true)
	k.passOn()
}

// Settings returns the class's weight and limits.
func (c *Class) Settings() fair.Settings {
	c.s.classes.mu.Lock()
	defer c.s.classes.mu.Unlock()
	return c.fair.Settings
}

// Stats returns what the class has done.
func (c *Class) Stats() fair.Stats {
	c.s.classes.mu.Lock()
	defer c.s.classes.mu.Unlock()
	return c.fair.Stats()
}

// DefaultWeight is that of the default class.
const DefaultWeight = 100

// DefaultCap is what holds for a device that was not measured: what keeps most
// busy, but not much more. Measured: docs/decisions/0023-classes.md.
var DefaultCap = fair.Cap{Depth: 64, Bytes: 2 << 20, Beside: 128 << 10}
