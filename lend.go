package sluice

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/lend"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sched"
)

func init() {
	lend.Scheduler = func(s any) (*sched.Scheduler, func(), error) { return s.(*Scheduler).lend() }
	lend.Another = func(s any, depth int) driver.Driver { return s.(*Scheduler).another(depth) }
}

// lend lends what is inside, unless the Scheduler is closed.
func (s *Scheduler) lend() (*sched.Scheduler, func(), error) {
	if err := s.borrow(); err != nil {
		return nil, nil, err
	}
	return s.core, s.users.Done, nil
}

// borrow is lend for who has it already, and calls lent.Done.
func (s *Scheduler) borrow() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return errSchedulerClosed
	}
	s.users.Add(1)
	return nil
}

// another opens a driver of the kind that s has. It is nil if there is none, or
// if it would read what is not cached with threads.
func (s *Scheduler) another(depth int) driver.Driver {
	name := s.core.Driver().Name
	if name == "pool" {
		return nil
	}
	drv, err := open(name, Options{Depth: depth}, new(record.Hook))
	if err != nil {
		return nil
	}
	if !drv.Async(&driver.Op{Code: driver.Read}) {
		_ = drv.Close()
		return nil
	}
	return drv
}
