package sluice

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/sched"
)

// Class is a kind of work on a [Scheduler]: operations that have a weight and
// limits in common. They hold for each device by itself, as far as devices have
// rings of their own ([Options].Rings). A class is for what competes for one device: point reads and
// a compaction, a backup and its users.
//
//	background, err := s.NewClass("background", sluice.ClassOptions{Weight: 10})
//	…
//	ctx = sluice.WithClass(ctx, background) // what is done with ctx
//	view, err := f.WithClass(background)    // or what is done by way of view
//
// A view's class goes before the context's. What has neither is of
// [Scheduler.DefaultClass], whose weight is 100.
//
// From the first class on, what the driver has in flight is under a cap, and what
// waits takes turns: each class that has something waiting gets a part of the
// device as large as its weight is beside the weights of the others that do,
// counted in bytes and 16 KiB for each request. Large requests are made in parts.
// A class is held to little in flight while one of more weight is active and has
// nothing waiting, so that small reads find the device ready; so give what must be
// quick more weight than what must be done. Each class makes progress, whatever
// the weights. The cap is that of each device, if `sluice tune` has measured it;
// [Scheduler.Explain] tells it.
//
// Reads, and writes of direct files, take turns. What needs no device does not
// wait, unless its class has limits: reads of what is in the page cache, and
// writes that it takes. Each Sync and Datasync is an operation too, of no bytes, also
// where it shares an fsync; it waits for its class's limits alone, and keeps the class
// active.
// Calls with names, and copies of trees, have no class.
//
// To close a file ends at once what waits for its turn with it: os.ErrClosed. So
// does the end of a context.
//
// # Concurrency
//
// All methods may be called by any number of goroutines at once.
type Class struct {
	name  string
	sched *Scheduler
	core  *sched.Class
}

// ClassOptions are a Class's weight and limits, for each device. Limits are kept
// to exactly, but for what comes in 10 ms, which may be used at once.
type ClassOptions struct {
	// Weight is the share of the device, beside the weights of other classes: 1 to
	// 10000. 0 means 100.
	Weight int

	// IOPS is the most operations a second. A large operation that is made in
	// parts counts as several. 0 means no limit.
	IOPS int64

	// BytesPerSecond is the most bytes a second, read and written. 0 means no
	// limit; the most is 256 GiB.
	BytesPerSecond int64

	// Depth is the most operations in flight. 0 means no limit of its own.
	Depth int
}

const (
	classWeightMost = 10_000
	classDepthMost  = 16384
	classesMost     = 64
	classNameMost   = 64
)

// settings returns what the options mean, or says which is wrong.
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
		o.Weight = sched.DefaultWeight
	}
	return fair.Settings{Weight: o.Weight, IOPS: o.IOPS, Bytes: o.BytesPerSecond, Depth: o.Depth}, nil
}

// NewClass adds a class to the Scheduler, for good. Its name is no other class's,
// and not empty; a Scheduler has at most 64. The error says what is wrong.
func (s *Scheduler) NewClass(name string, o ClassOptions) (*Class, error) {
	settings, err := o.settings()
	if err == nil {
		err = checkClassName(name)
	}
	if err != nil {
		return nil, fmt.Errorf("sluice: class %q: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.h.Usable(); err != nil {
		return nil, fmt.Errorf("sluice: class %q: %w", name, err)
	}
	if len(s.classes) == classesMost {
		return nil, fmt.Errorf("sluice: class %q: the Scheduler has %d classes already", name, classesMost)
	}
	for _, c := range s.classes {
		if c.name == name {
			return nil, fmt.Errorf("sluice: class %q: there is one of that name", name)
		}
	}
	c := &Class{name, s, s.h.Core.NewClass(name, settings)}
	s.classes = append(s.classes, c)
	s.h.ClassesChanged()
	return c, nil
}

func checkClassName(name string) error {
	switch {
	case name == "":
		return errors.New("the name is empty")
	case len(name) > classNameMost:
		return fmt.Errorf("the name is longer than %d bytes", classNameMost)
	case strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return errors.New("the name has control characters")
	}
	return nil
}

// DefaultClass returns the class of operations that have no other. It is called
// "default".
func (s *Scheduler) DefaultClass() *Class { return s.standard }

// Name returns the class's name.
func (c *Class) Name() string { return c.name }

// Configure changes the weight and the limits, also of what waits already. The
// error says which option is wrong; nothing is changed then.
func (c *Class) Configure(o ClassOptions) error {
	settings, err := o.settings()
	if err != nil {
		return fmt.Errorf("sluice: class %q: %w", c.name, err)
	}
	c.core.Configure(settings)
	c.sched.h.ClassesChanged()
	return nil
}

// ClassStats is a snapshot of what a [Class] has done, as far as it took turns.
type ClassStats struct {
	Queued   int // operations that wait for their turn now
	InFlight int // that have it now
	// Operations is how many have had a turn. One that was made in parts is
	// several.
	Operations int64
	Bytes      int64 // that those which have ended have moved
	// Waited is how long operations have waited for their turns, all together,
	// and LongestWait the longest.
	Waited, LongestWait time.Duration
}

// Stats returns a snapshot of the class's counters.
func (c *Class) Stats() ClassStats {
	s := c.core.Stats()
	return ClassStats{
		Queued: s.Queued, InFlight: s.InFlight, Operations: s.Requests, Bytes: s.Bytes,
		Waited: s.Waited, LongestWait: s.LongestWait,
	}
}

// Classes returns the Scheduler's classes, the default one first.
func (s *Scheduler) Classes() []*Class {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]*Class(nil), s.classes...)
}
