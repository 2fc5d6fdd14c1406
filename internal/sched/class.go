package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/usecount"
)

// Class is a kind of operations that have a weight and limits in common. See package qos.
type Class = qos.Class

// DefaultWeight is the weight of the default class.
const DefaultWeight = qos.DefaultWeight

// DefaultCap is the cap for a device that was not measured.
var DefaultCap = qos.DefaultCap

// WithClass returns a context whose operations on c's Scheduler are of class c.
func WithClass(ctx context.Context, c *Class) context.Context { return qos.WithClass(ctx, c) }

// NewClass adds a class, which records show by that name. From the first one on, operations
// take tickets.
func (s *Scheduler) NewClass(name string, o fair.Settings) *Class { return s.classes.New(name, o) }

// DefaultClass returns the class of operations that have no other.
func (s *Scheduler) DefaultClass() *Class { return s.classes.Default() }

// HasClasses reports whether operations take tickets.
func (s *Scheduler) HasClasses() bool { return s.classes.Active() }

// ClassIn returns the class of this Scheduler that ctx has, or nil.
func (s *Scheduler) ClassIn(ctx context.Context) *Class { return s.classes.In(ctx) }

// SetCapFinder is qos.Classes.SetCapFinder.
func (s *Scheduler) SetCapFinder(find func(device uint64) fair.Cap) { s.classes.SetCapFinder(find) }

// SetCap bounds what each ring has in flight while operations take tickets, except for
// rings whose cap comes from SetCapFinder.
func (s *Scheduler) SetCap(c fair.Cap) { s.classes.SetCap(c) }

// Cap returns the bound that SetCap sets.
func (s *Scheduler) Cap() fair.Cap { return s.classes.Cap() }

// classOf returns the class of an operation on f: the file's, if f is a view with a
// class, else the context's, else the default class.
func (s *Scheduler) classOf(ctx context.Context, f *File) *Class {
	if f.class != nil {
		return f.class
	}
	return s.classes.Or(s.classes.In(ctx))
}

// queueOf returns the queue for the tickets of operations on f.
func (s *Scheduler) queueOf(f *File) *qos.Queue { return s.classes.Queue(s.engineOf(f).Number()) }

// owner returns the count of the file that f is a part of, or of f itself. A Close of that file
// rejects the tickets of operations on f.
func (f *openFile) owner() *usecount.Count {
	if f.parent != nil {
		return &f.parent.Count
	}
	return &f.Count
}
