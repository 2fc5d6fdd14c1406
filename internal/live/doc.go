// Package live looks at the Schedulers of this process while they work: what is in flight now, and
// what the operations of a second were. It is what package trace/live serves by net/http, and what
// a program of "sluice build" serves at SLUICE_DEBUG_ADDR by package debugserver.
//
//	answer := live.Get(ctx, r.URL.RawQuery)
//
// # Cost
//
// Nothing is counted or recorded for this package while nobody looks. A look adds a Recorder to
// each Scheduler, waits a second, and removes it. So the records are of operations that began and
// ended in that second; a slower one is only in flight. What is in flight it reads from counters
// that the Scheduler has anyway:
//
//	by            in flight now                             in the second
//	path          rings; permits of plain calls             records; Stats
//	device        the same, of the device                   -
//	class         tickets                                   records
//	file          operations that keep the file open        records
//
// An os.File has no such count. For a file of package os, in flight is the mean of the second.
//
// # Bounds
//
// One look runs at a time, and others that come while it runs get the same answer. One trace is
// made at a time, of at most MaxSeconds. Both Recorders have a fixed size, and keep the latest
// events.
//
// A program of "sluice build" has this package in it. So the package imports neither net, which
// would make a static program a dynamic one, nor net/http, encoding/json or html/template.
//
// # Concurrency
//
// Any number of goroutines may call the functions at once.
package live
