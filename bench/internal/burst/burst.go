// Package burst queues many writes at once and notes when each was queued and
// when its end was seen.
//
// One thread hands the writes over, one system call each, as fast as it can; a
// second one takes the completions, as many at a time as there are. Both are
// this process's: a burst is over in moments, and has nobody to take turns with.
package burst

import (
	"context"
	"errors"
	"os"
	"time"
)

// Engine names what writes are queued with.
type Engine string

// The engines.
const (
	AIO   Engine = "aio"
	Uring Engine = "uring"
)

// Engines are all.
var Engines = []Engine{AIO, Uring}

// UnsupportedError is the error where this machine lacks an engine.
type UnsupportedError struct{ err error }

// Unsupported returns an UnsupportedError.
func Unsupported(err error) error { return &UnsupportedError{err} }

func (e *UnsupportedError) Error() string { return e.err.Error() }

// Unwrap returns the system call's error.
func (e *UnsupportedError) Unwrap() error { return e.err }

// Result is what became of the writes. Times count from just before the first
// was queued; the slices that are of writes are in the order of their offsets,
// in which they are queued.
type Result struct {
	Queued   []time.Duration `json:"queued_ns"`   // before the call that hands it over
	Submit   []time.Duration `json:"submit_ns"`   // how long that call took
	Notified []time.Duration `json:"notified_ns"` // when its completion had been taken
	Batches  []Batch         `json:"batches"`     // in the order of their times
}

// Batch are completions that were taken at once.
type Batch struct {
	Writes int `json:"writes"`
	First  int `json:"first"` // the number of the write whose completion was the first
}

// Latency returns how long write i took.
func (r *Result) Latency(i int) time.Duration { return r.Notified[i] - r.Queued[i] }

// All returns when the last completion had been taken.
func (r *Result) All() (last time.Duration) {
	for _, at := range r.Notified {
		last = max(last, at)
	}
	return last
}

func newResult(writes int) *Result {
	return &Result{
		Queued:   make([]time.Duration, writes),
		Submit:   make([]time.Duration, writes),
		Notified: make([]time.Duration, writes),
	}
}

// Run queues the given number of writes of size bytes to f, one after the other
// from offset 0 on, which needs O_DIRECT and a size that suits it. When ctx ends
// no more are queued, and those that have been are waited for.
//
// The error is an *UnsupportedError where the engine is not to be had.
func Run(ctx context.Context, e Engine, f *os.File, writes, size int) (*Result, error) {
	switch {
	case writes < 1 || writes > maxWrites || size < 1:
		return nil, errors.New("burst: no such number or size of writes")
	case e != AIO && e != Uring:
		return nil, errors.New("burst: unknown engine " + string(e))
	}
	return run(ctx, e, f, writes, size)
}

// maxWrites is the most a ring has room for.
const maxWrites = 4096
