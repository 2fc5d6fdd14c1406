package handle

// Hooks lend parts of package sluice to the module's other packages, which call them through
// package inside. This package cannot name the types of package sluice, so a *sluice.Scheduler or
// *sluice.File is an any here.
type Hooks struct {
	Scheduler func(s any) *Scheduler
	File      func(f any) *File
	// All returns the *sluice.Schedulers of the process that are not closed, in the order in which
	// they were made.
	All func() []any
	// New returns a new *sluice.Scheduler. The options are sluice.Options.
	New func(p Parts, options any) (s any, err error)
}

// Hook is set by the init of package sluice, and never changes after that.
var Hook Hooks
