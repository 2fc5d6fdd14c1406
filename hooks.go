package sluice

import "github.com/sluiceio/sluice/internal/handle"

// The hooks give this module's other packages access to the inside of Files and Schedulers. See
// internal/inside.
func init() {
	handle.Hook = handle.Hooks{
		Scheduler: func(s any) *handle.Scheduler { return s.(*Scheduler).h },
		File:      func(f any) *handle.File { return &f.(*File).h },
		All:       openSchedulers.list,
		New:       func(p handle.Parts, o any) (any, error) { return newScheduler(p, o.(Options)) },
	}
}
