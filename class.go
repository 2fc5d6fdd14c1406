package sluice

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/sched"
)

// Class is a kind of work on a [Scheduler]: operations that share a weight and limits. A program
// has classes for work that competes for a device, such as point reads and a compaction.
//
//	background, err := s.Class("background", sluice.ClassOptions{Weight: 10})
//	…
//	ctx = sluice.WithClass(ctx, background) // for operations with this context
//	view, err := f.WithClass(background)    // or for operations on this view
//
// A view's class takes precedence over the context's. An operation that has neither is in
// the default class.
//
// Once Scheduler.Class has added a class, each device has a bounded number of operations and bytes
// in flight, and further operations wait for tickets. Waiting classes get tickets in proportion to
// their weights, and every class makes progress. Weights and limits hold for each device. Cached
// reads, and writes into the page cache, wait only for the limits of their class. docs/classes.md
// has the rules.
//
// Parts of a program that ask for a class of the same name share it. A part that wants a class for
// itself, such as each of several databases, takes a unique name, and removes the class at the end.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once.
type Class struct {
	name  string
	sched *Scheduler
	core  *sched.Class // nil in the zero Class; see made
}

// ClassOptions are a Class's weight and limits, for each device. The zero value has the default
// weight, and no limits. Limits hold on average; a short burst may exceed them.
type ClassOptions struct {
	// Weight is the class's share of the device, in proportion to the weights of other
	// classes: 1 to 10000. 0 means 100.
	Weight int

	// IOPS is the most operations a second. Each part of a large operation counts. 0 means no
	// limit; the most is 1<<38.
	IOPS int64

	// BytesPerSecond is the most bytes a second, read and written. 0 means no
	// limit; the most is 256 GiB.
	BytesPerSecond int64

	// Depth is the most operations in flight, up to 16384. 0 means no limit.
	Depth int
}

const (
	classWeightMost = 10_000
	classDepthMost  = 16384
	classesMost     = 64
	classNameMost   = 64
)

// settings returns the settings in force, or an error that says which option is wrong.
func (o ClassOptions) settings() (fair.Settings, error) {
	switch {
	case o.Weight < 0 || o.Weight > classWeightMost:
		return fair.Settings{}, fmt.Errorf("ClassOptions.Weight %d is not between 0 and %d", o.Weight, classWeightMost)
	case o.IOPS < 0 || o.IOPS > fair.Most:
		return fair.Settings{}, fmt.Errorf("ClassOptions.IOPS %d is not between 0 and %d", o.IOPS, int64(fair.Most))
	case o.BytesPerSecond < 0 || o.BytesPerSecond > fair.Most:
		return fair.Settings{}, fmt.Errorf("ClassOptions.BytesPerSecond %d is not between 0 and %d", o.BytesPerSecond, int64(fair.Most))
	case o.Depth < 0 || o.Depth > classDepthMost:
		return fair.Settings{}, fmt.Errorf("ClassOptions.Depth %d is not between 0 and %d", o.Depth, classDepthMost)
	}
	if o.Weight == 0 {
		o.Weight = qos.DefaultWeight
	}
	return fair.Settings{Weight: o.Weight, IOPS: o.IOPS, Bytes: o.BytesPerSecond, Depth: o.Depth}, nil
}

// Class returns the Scheduler's class of that name. If there is none, Class adds it with the
// settings of o; else o changes nothing ([Class.Configure] does). An invalid name or option is an
// error, even if the class exists.
//
// The class named "default", of weight 100, is there from the start. It is the class of operations
// that have no other.
//
// A name has 1 to 64 bytes of UTF-8 without control characters. A Scheduler has at most 64 classes,
// with the default one.
func (s *Scheduler) Class(name string, o ClassOptions) (*Class, error) {
	settings, err := o.settings()
	if err == nil {
		err = checkClassName(name)
	}
	if err != nil {
		return nil, fmt.Errorf("sluice: class %q: %w", name, err)
	}
	h := s.made()
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := h.Usable(); err != nil {
		return nil, fmt.Errorf("sluice: class %q: %w", name, err)
	}
	i := slices.IndexFunc(s.classes, func(c *Class) bool { return c.name == name })
	switch {
	case i >= 0:
		return s.classes[i], nil
	case len(s.classes) == classesMost:
		return nil, fmt.Errorf("sluice: class %q: the Scheduler has %d classes already", name, classesMost)
	}
	c := &Class{name, s, h.Core.Classes().New(name, settings)}
	s.classes = append(s.classes, c)
	h.ClassesChanged()
	return c, nil
}

var errClassRemoved = errors.New("class already removed")

// Remove removes the class from its Scheduler and frees its name. Operations that wait or are in
// progress keep the class's weight, without its limits. Later operations with the class are in the
// default class. Its Stats can still be read. Removing the default class is an error, and so is
// removing or configuring a removed class.
func (c *Class) Remove() error {
	core, s := c.made(), c.sched
	if c == s.standard {
		return fmt.Errorf("sluice: class %q: the default class cannot be removed", c.name)
	}
	s.mu.Lock()
	s.classes = slices.DeleteFunc(s.classes, func(other *Class) bool { return other == c })
	s.mu.Unlock()
	if !core.Remove() {
		return fmt.Errorf("sluice: class %q: %w", c.name, errClassRemoved)
	}
	return nil
}

// made returns the inside of c. It panics if c is the zero Class.
func (c *Class) made() *sched.Class {
	if c.core == nil {
		panic("sluice: use of the zero Class; Scheduler.Class makes Classes")
	}
	return c.core
}

func checkClassName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > classNameMost:
		return fmt.Errorf("the name is longer than %d bytes", classNameMost)
	case !utf8.ValidString(name):
		return errors.New("the name is not UTF-8")
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the name has control characters")
	}
	return nil
}

// Name returns the class's name.
func (c *Class) Name() string { return c.name }

// Configure changes the weight and the limits, also for waiting operations. On an error nothing is
// changed: an option is wrong, or the class was removed.
func (c *Class) Configure(o ClassOptions) error {
	settings, err := o.settings()
	if err != nil {
		return fmt.Errorf("sluice: class %q: %w", c.name, err)
	}
	if !c.made().Configure(settings) {
		return fmt.Errorf("sluice: class %q: %w", c.name, errClassRemoved)
	}
	c.sched.h.ClassesChanged()
	return nil
}

// ClassStats is a snapshot of a [Class]'s counters. Cached reads are counted only if the class has
// limits.
type ClassStats struct {
	Waiting  int // operations that wait for a ticket now
	InFlight int // operations that are in progress now
	// Operations is the number of operations that have started. Each part of an operation counts.
	Operations int64
	Bytes      int64 // read and written by operations that have ended
	// Waited is the time that operations have waited for their tickets, added up. LongestWait is
	// the longest wait of one operation.
	Waited, LongestWait time.Duration
}

// Stats returns a snapshot of the class's counters.
func (c *Class) Stats() ClassStats {
	s := c.made().Stats()
	return ClassStats{
		Waiting: s.Queued, InFlight: s.InFlight, Operations: s.Requests, Bytes: s.Bytes,
		Waited: s.Waited, LongestWait: s.LongestWait,
	}
}

// Classes returns the Scheduler's classes, the default one first, without removed ones.
func (s *Scheduler) Classes() []*Class {
	s.made()
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Class(nil), s.classes...)
}

// WithClass returns a context whose operations are in class c, if they are on c's Scheduler. Other
// Schedulers ignore c. Every method with a context heeds it: of Files, ReadMany, Readers and
// Writers, Batches and caches. It panics if c is nil.
func WithClass(ctx context.Context, c *Class) context.Context {
	if c == nil {
		panic("sluice: WithClass of a nil Class")
	}
	return qos.WithClass(ctx, c.made())
}

// WithClass returns a view of the file: the same file with the same position, whose operations are
// in class c until c is removed, whatever their context says. Close the file, or one of its views,
// once: that closes the file and all its views. A class of another Scheduler is an error.
func (f *File) WithClass(c *Class) (*File, error) {
	if f == nil {
		return nil, os.ErrInvalid
	}
	if err := c.on(f.h.Sched); err != nil {
		return nil, f.h.Error("withclass", err)
	}
	v := new(File)
	f.h.View(&v.h, c.core)
	return v, nil
}

// on returns an error unless c is a class of s.
func (c *Class) on(s *handle.Scheduler) error {
	switch {
	case c == nil || c.core == nil:
		return errors.New("the Class is nil or zero")
	case c.sched.h != s:
		return fmt.Errorf("class %q is another Scheduler's", c.name)
	}
	return nil
}
