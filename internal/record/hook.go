package record

import (
	"context"
	"math"
	"runtime/trace"
	"sync"
	"sync/atomic"
)

// Hook leads the scheduler and its drivers to the Recorder, if there is one. The zero value has
// none. While nothing is recorded, a call costs a load and a branch.
type Hook struct {
	rec  atomic.Pointer[Recorder]
	ring atomic.Uint32 // see Set; written before rec

	mu   sync.Mutex
	last *Recorder // the last Recorder, where ring is this Hook's number. Guarded by mu
	// others are set whenever this Hook is. Protected by mu.
	others []*Hook
}

// Set makes r record from now on; with nil nothing is recorded. A Recorder gives each Hook
// a number, from 0, which is in its records: the number of the ring, if the Hook belongs to
// one.
func (h *Hook) Set(r *Recorder) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if r != nil && r != h.last {
		h.last = r
		h.ring.Store(min(r.hooks.Add(1)-1, math.MaxUint8))
	}
	h.rec.Store(r)
	for _, o := range h.others {
		o.Set(r)
	}
}

// Another returns a Hook with another number. Each Set of h sets it, too.
func (h *Hook) Another() *Hook {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := new(Hook)
	o.Set(h.rec.Load())
	h.others = append(h.others, o)
	return o
}

// Now returns the time, or 0 if nothing is recorded.
func (h *Hook) Now() int64 {
	if !Built || h.rec.Load() == nil {
		return 0
	}
	return h.clock()
}

// clock is a separate function so that Now can be inlined.
func (h *Hook) clock() int64 {
	if r := h.rec.Load(); r != nil && r.on.Load() {
		return Now()
	}
	return 0
}

// Recording reports whether there is a Recorder, started or not.
func (h *Hook) Recording() bool { return Built && h.rec.Load() != nil }

// Op records an operation. ref, name and class belong to its file.
func (h *Hook) Op(o *Op, ref *FileRef, name string, class *ClassRef) {
	if r := h.rec.Load(); r != nil {
		o.File, o.Class, o.Ring = r.File(ref, name), r.Class(class), uint8(h.ring.Load())
		r.PutOp(o)
	}
}

// Call records a system call that began at start, which is a result of Now. It ended at c.End, or
// now if that is 0. Call does nothing if start is 0.
func (h *Hook) Call(start int64, c Call) {
	if !Built || start == 0 {
		return
	}
	h.call(start, &c)
}

func (h *Hook) call(start int64, c *Call) {
	if r := h.rec.Load(); r != nil {
		c.Start, c.Ring = start, uint8(h.ring.Load())
		if c.End == 0 {
			c.End = Now()
		}
		r.PutCall(c)
	}
}

// Region begins a region of runtime/trace, if an execution trace is being made and the Recorder has
// Options.Regions.
func (h *Hook) Region(ctx context.Context, name string) Region {
	if !Built || h.rec.Load() == nil {
		return Region{}
	}
	return h.region(ctx, name)
}

func (h *Hook) region(ctx context.Context, name string) Region {
	if r := h.rec.Load(); r == nil || !r.regions || !r.on.Load() || !trace.IsEnabled() {
		return Region{}
	}
	return Region{trace.StartRegion(ctx, name)}
}

// Region is a region of the execution trace, or none.
type Region struct{ r *trace.Region }

// End ends the region. The goroutine that has begun it calls End.
func (r Region) End() {
	if r.r != nil {
		r.r.End()
	}
}
