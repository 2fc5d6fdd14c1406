package sluice

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
)

// WithClass returns a context that puts operations on c's Scheduler in class c. Operations on
// other Schedulers are not affected. It works with all methods that take a context: those of
// files, ReadMany, Readers and Writers, Batches and caches. It panics if c is nil, as it
// has no error to return.
func WithClass(ctx context.Context, c *Class) context.Context {
	if c == nil {
		panic("sluice: WithClass of a nil Class")
	}
	return sched.WithClass(ctx, c.core)
}

// WithClass returns a view of the file: the same file, with the same position, whose operations
// are in class c, whatever the context says, until c is removed. Close of a view, or of the
// file, closes both. A class of another Scheduler is an error.
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
	case c == nil:
		return errors.New("the Class is nil")
	case c.sched.h != s:
		return fmt.Errorf("class %q is another Scheduler's", c.name)
	}
	return nil
}
