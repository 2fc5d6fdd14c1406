// Package burst queues many writes at once, by Linux AIO or io_uring. It records the times at which
// each write was queued and seen to complete. `sluice bench aio-latency` measures with it.
//
// One thread submits the writes as fast as it can, with one system call for each. A second thread
// takes the completions, all that are there at a time. Both are threads of this process, not of a
// worker: a burst takes milliseconds, so sides need not take turns within it.
package burst

import (
	"context"
	"errors"
	"os"
	"time"
)

// Engine is the kernel interface that queues the writes.
type Engine string

// The engines.
const (
	AIO   Engine = "aio"
	Uring Engine = "uring"
)

// Engines are all engines.
var Engines = []Engine{AIO, Uring}

// UnsupportedError reports that this machine lacks an engine.
type UnsupportedError struct{ err error }

// Unsupported returns an *UnsupportedError.
func Unsupported(err error) error { return &UnsupportedError{err} }

func (e *UnsupportedError) Error() string { return e.err.Error() }

// Unwrap returns the system call's error.
func (e *UnsupportedError) Unwrap() error { return e.err }

// Result is the result of a burst. Times count from just before the first write was queued. Slices
// with an element for each write are in the order of offsets, which is the order of queueing.
type Result struct {
	Queued   []time.Duration `json:"queued_ns"`   // just before the call that submits the write
	Submit   []time.Duration `json:"submit_ns"`   // duration of that call
	Notified []time.Duration `json:"notified_ns"` // when the call with the completion returned
	Batches  []Batch         `json:"batches"`     // in the order of completion
}

// Batch is the completions that one call returned.
type Batch struct {
	Writes int `json:"writes"`
	First  int `json:"first"` // number of the write that completed first
}

// Latency returns the time from queueing write i until its completion was seen.
func (r *Result) Latency(i int) time.Duration { return r.Notified[i] - r.Queued[i] }

// All returns the time at which the last completion was seen.
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

// Run queues writes writes of size bytes to f, one after the other from offset 0 on. f must be open
// with O_DIRECT, and size must suit it. When ctx ends, Run queues no more writes, and waits for the
// queued ones.
//
// The error is an *UnsupportedError if this machine lacks the engine.
func Run(ctx context.Context, e Engine, f *os.File, writes, size int) (*Result, error) {
	switch {
	case writes < 1 || writes > maxWrites || size < 1:
		return nil, errors.New("burst: invalid number or size of writes")
	case e != AIO && e != Uring:
		return nil, errors.New("burst: unknown engine " + string(e))
	}
	return run(ctx, e, f, writes, size)
}

// maxWrites is the largest number of writes in a burst. Both engines have room for it.
const maxWrites = 4096
