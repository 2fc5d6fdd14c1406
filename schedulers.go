package sluice

import (
	"slices"
	"sync"
	"weak"
)

// openSchedulers are the Schedulers of the process, for those who look at it (trace/live).
var openSchedulers schedulers

// schedulers is a list of Schedulers, in the order in which they were made. The pointers are weak:
// a Scheduler that the program has dropped without Close is garbage.
type schedulers struct {
	mu  sync.Mutex
	all []weak.Pointer[Scheduler]
}

// add adds s, and forgets the ones that are gone.
func (l *schedulers) add(s *Scheduler) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(p weak.Pointer[Scheduler]) bool {
		s := p.Value()
		return s == nil || s.h.Usable() != nil
	})
	l.all = append(l.all, weak.Make(s))
}

// list returns those that are not closed, each as a *Scheduler.
func (l *schedulers) list() (open []any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.all {
		if s := p.Value(); s != nil && s.h.Usable() == nil {
			open = append(open, s)
		}
	}
	return open
}
