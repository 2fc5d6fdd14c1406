package model

import (
	"cmp"
	"slices"
	"sort"
)

// events are what is to happen, in order: at times, or at points of a device's progress.
type events[At cmp.Ordered] []event[At]

type event[At cmp.Ordered] struct {
	at At
	do func()
}

// add adds an event, after the events at the same time.
func (e *events[At]) add(at At, do func()) {
	i := sort.Search(len(*e), func(i int) bool { return (*e)[i].at > at })
	*e = slices.Insert(*e, i, event[At]{at, do})
}

// pop takes the first element of s.
func pop[S ~[]T, T any](s *S) T {
	first := (*s)[0]
	*s = (*s)[1:]
	return first
}
