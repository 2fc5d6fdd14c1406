// Package inside gives the module's other packages the inside of a sluice.Scheduler and of a
// sluice.File, which programs must not reach.
//
//	h := inside.Scheduler(s) // s is a *sluice.Scheduler
//	if err := h.Acquire(); err != nil {
//		return err // it is closed
//	}
//	defer h.Release()
//
// Package sluice sets the hooks of package handle in its init. So package sluice needs no exported
// names for this module alone.
package inside

import (
	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/handle"
)

// Scheduler returns the inside of s.
func Scheduler(s *sluice.Scheduler) *handle.Scheduler { return handle.Hook.Scheduler(s) }

// File returns the inside of f.
func File(f *sluice.File) *handle.File { return handle.Hook.File(f) }

// Schedulers returns the Schedulers of the process that are not closed, in the order in which they
// were made.
func Schedulers() []*sluice.Scheduler {
	var all []*sluice.Scheduler
	for _, s := range handle.Hook.All() {
		all = append(all, s.(*sluice.Scheduler))
	}
	return all
}

// New is sluice.NewScheduler with parts that replace the system's.
func New(p handle.Parts, o sluice.Options) (*sluice.Scheduler, error) {
	s, err := handle.Hook.New(p, o)
	if err != nil {
		return nil, err
	}
	return s.(*sluice.Scheduler), nil
}
