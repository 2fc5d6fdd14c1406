package sluice

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
)

// WithClass returns a context whose operations on c's Scheduler are c's; those on
// other Schedulers are not touched by it. All methods with a context heed it, and
// so do ReadMany, Batch, the Reader and the Writer that are made with it, and a
// cache. It panics if c is nil.
func WithClass(ctx context.Context, c *Class) context.Context {
	if c == nil {
		panic("sluice: WithClass of a nil Class")
	}
	return sched.WithClass(ctx, c.core)
}

// WithClass returns a view of the file: the same file, with the same position,
// whose operations are c's, whatever the context says. To close a view, or the
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
