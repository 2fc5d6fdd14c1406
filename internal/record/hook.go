package record

import (
	"context"
	"math"
	"runtime/trace"
	"slices"
	"sync"
	"sync/atomic"
)

// Hook leads the scheduler and its drivers to the Recorder, if there is one. The zero value has
// none. While nothing is recorded, a call costs a load and a branch.
//
// Beside the program's own Recorder (Set) a Hook may have others for a time (Add), with which
// somebody looks at the program. Each has all records.
type Hook struct {
	rec  atomic.Pointer[Recorder]   // the program's own, or the first one of a look
	ring atomic.Uint32              // this Hook's number in rec; written before rec
	rest atomic.Pointer[[]numbered] // the further ones; nil if there is none

	owned atomic.Bool // the program has its own Recorder

	mu     sync.Mutex
	own    *Recorder  // what Set has set. Protected by mu, as all below
	last   numbered   // the last Recorder that Set has set
	added  []numbered // what Add has added
	others []*Hook    // they are changed whenever this Hook is
}

// numbered is a Recorder, and a Hook's number there.
type numbered struct {
	rec  *Recorder
	ring uint8
}

// numberIn gives a Hook the next number in r, up to 255.
func numberIn(r *Recorder) numbered {
	return numbered{r, uint8(min(r.hooks.Add(1)-1, math.MaxUint8))}
}

// Set makes r record from now on; with nil the program has no Recorder. A Recorder gives each Hook
// a number, from 0, which is in its records: the number of the ring, if the Hook belongs to
// one.
func (h *Hook) Set(r *Recorder) {
	h.change(func(h *Hook) {
		if r != nil && r != h.last.rec {
			h.last = numberIn(r)
		}
		h.own = r
	})
}

// Add makes r record as well, until Remove(r).
func (h *Hook) Add(r *Recorder) {
	h.change(func(h *Hook) { h.added = append(h.added, numberIn(r)) })
}

// Remove undoes Add.
func (h *Hook) Remove(r *Recorder) {
	h.change(func(h *Hook) {
		h.added = slices.DeleteFunc(h.added, func(n numbered) bool { return n.rec == r })
	})
}

// change changes the Recorders of h and of the Hooks that follow it.
func (h *Hook) change(do func(*Hook)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	do(h)
	h.publish()
	for _, o := range h.others {
		o.change(do)
	}
}

// publish makes the Recorders known to those who record. It must be called with mu held.
func (h *Hook) publish() {
	var all []numbered
	if h.own != nil {
		all = append(all, h.last)
	}
	all = append(all, h.added...)
	h.owned.Store(h.own != nil)
	if len(all) == 0 {
		h.rest.Store(nil)
		h.rec.Store(nil)
		return
	}
	if rest := all[1:]; len(rest) > 0 {
		h.rest.Store(&rest)
	} else {
		h.rest.Store(nil)
	}
	h.ring.Store(uint32(all[0].ring))
	h.rec.Store(all[0].rec)
}

// Another returns a Hook with another number. It has the same Recorders as h, now and whenever they
// change.
func (h *Hook) Another() *Hook {
	h.mu.Lock()
	defer h.mu.Unlock()
	o := new(Hook)
	o.Set(h.own)
	for _, n := range h.added {
		o.Add(n.rec)
	}
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
	if r := h.rec.Load(); r != nil && r.on.Load() || h.restOn() {
		return Now()
	}
	return 0
}

// restOn reports whether one of the further Recorders is started.
func (h *Hook) restOn() bool {
	rest := h.rest.Load()
	return rest != nil && slices.ContainsFunc(*rest, func(n numbered) bool { return n.rec.on.Load() })
}

// Recording reports whether the program has its own Recorder, started or not.
func (h *Hook) Recording() bool { return Built && h.owned.Load() }

// Op records an operation. ref, name and class belong to its file.
func (h *Hook) Op(o *Op, ref *FileRef, name string, class *ClassRef) {
	r := h.rec.Load()
	if r == nil {
		return
	}
	h.op(numbered{r, uint8(h.ring.Load())}, o, ref, name, class)
	if rest := h.rest.Load(); rest != nil {
		for _, n := range *rest {
			h.op(n, o, ref, name, class)
		}
	}
}

// op records an operation with one Recorder.
func (h *Hook) op(n numbered, o *Op, ref *FileRef, name string, class *ClassRef) {
	if n.rec.takes(max(o.Queued, 1)) {
		o.File, o.Class, o.Ring = n.rec.File(ref, name), n.rec.Class(class), n.ring
		n.rec.PutOp(o)
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
	r := h.rec.Load()
	if r == nil {
		return
	}
	c.Start = start
	if c.End == 0 {
		c.End = Now()
	}
	put := func(n numbered) {
		if n.rec.takes(start) {
			c.Ring = n.ring
			n.rec.PutCall(c)
		}
	}
	put(numbered{r, uint8(h.ring.Load())})
	if rest := h.rest.Load(); rest != nil {
		for _, n := range *rest {
			put(n)
		}
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
