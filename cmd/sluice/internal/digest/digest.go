// Package digest reduces a trace to a few figures: how long operations waited, and
// where, and what the drivers' system calls cost.
package digest

import (
	"cmp"
	"slices"
	"time"

	"github.com/sluiceio/sluice/trace"
)

// Digest is a trace in figures.
type Digest struct {
	Ops           []Group
	Classes       []Group // a group for each class, by number; none if there is only one class
	Calls         []CallGroup
	Read, Written int64 // bytes
	// Span is the time from the begin of the first event to the end of the last.
	Span time.Duration
	// Most is the largest number of operations that were in progress at once.
	Most int
}

// Group is the operations of a kind and path, or those of a class.
type Group struct {
	Kind   trace.Kind
	Path   trace.Path
	Class  uint8
	Count  int
	Failed int
	Bytes  int64
	// The times in the scheduler's queue, in the kernel, and until the goroutine ran
	// again.
	Queue, Device, Wake Quantiles
	Batch               Quantiles // numbers of operations that were submitted together
}

// CallGroup is the system calls of a name, or the trials of governors.
type CallGroup struct {
	Syscall string
	Count   int
	Failed  int
	Total   time.Duration
	Took    Quantiles
	Batch   Quantiles // numbers of operations that a call submitted; of calls that submitted any
}

// Quantiles are nearest-rank quantiles: each is a value that occurred. Those of Batch are
// numbers, not times.
type Quantiles struct{ P50, P90, P99, P999, Max time.Duration }

// Of returns the digest of a trace.
func Of(t *trace.Trace) Digest {
	var d Digest
	ops, classes, calls := map[key]*opSamples{}, map[uint8]*opSamples{}, map[string]*callSamples{}
	first, last := time.Duration(1<<62), time.Duration(0)
	for i := range t.Ops {
		o := &t.Ops[i]
		first, last = min(first, o.Queued), max(last, o.Woken)
		d.Most = max(d.Most, int(o.Slot)+1)
		d.count(o)
		at(ops, key{o.Kind, o.Path}).add(o)
		at(classes, o.Class).add(o)
		if s := o.Syscall(); s != "" {
			at(calls, s).add(o.InDevice(), 1, o.Result < 0)
		}
	}
	for i := range t.Calls {
		c := &t.Calls[i]
		first, last = min(first, c.Start), max(last, c.Start+c.Duration)
		at(calls, c.Syscall).add(c.Duration, c.Batch, c.Result < 0)
	}
	d.Span = max(0, last-first)
	d.groups(ops, calls)
	if len(classes) > 1 {
		d.classes(classes)
	}
	return d
}

func (d *Digest) count(o *trace.Op) {
	switch o.Kind {
	case trace.KindRead:
		d.Read += max(0, o.Result)
	case trace.KindWrite:
		d.Written += max(0, o.Result)
	}
}

// at returns m's value of a key. If there is none it adds a new one.
func at[K comparable, V any](m map[K]*V, k K) *V {
	if m[k] == nil {
		m[k] = new(V)
	}
	return m[k]
}

type key struct {
	kind trace.Kind
	path trace.Path
}

// samples are the values of which quantiles are computed.
type samples []time.Duration

type opSamples struct {
	n, failed                  int
	bytes                      int64
	queue, device, wake, batch samples
}

func (s *opSamples) add(o *trace.Op) {
	s.n++
	if o.Result < 0 {
		s.failed++
	} else {
		s.bytes += o.Result
	}
	s.queue = append(s.queue, o.InQueue())
	s.device = append(s.device, o.InDevice())
	s.wake = append(s.wake, o.Waking())
	s.batch = append(s.batch, time.Duration(o.Batch))
}

type callSamples struct {
	n, failed   int
	total       time.Duration
	took, batch samples
}

func (s *callSamples) add(took time.Duration, batch int32, failed bool) {
	s.n++
	if failed {
		s.failed++
	}
	s.total += took
	s.took = append(s.took, took)
	if batch > 0 {
		s.batch = append(s.batch, time.Duration(batch))
	}
}

// groups sets Ops, by kind and path, and Calls, by total time, the greatest first.
func (d *Digest) groups(ops map[key]*opSamples, calls map[string]*callSamples) {
	for k, s := range ops {
		g := s.group()
		g.Kind, g.Path = k.kind, k.path
		d.Ops = append(d.Ops, g)
	}
	slices.SortFunc(d.Ops, func(a, b Group) int {
		return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Path, b.Path))
	})
	for name, s := range calls {
		d.Calls = append(d.Calls, CallGroup{
			Syscall: name, Count: s.n, Failed: s.failed, Total: s.total,
			Took: s.took.quantiles(), Batch: s.batch.quantiles(),
		})
	}
	slices.SortFunc(d.Calls, func(a, b CallGroup) int {
		return cmp.Or(cmp.Compare(b.Total, a.Total), cmp.Compare(a.Syscall, b.Syscall))
	})
}

// classes sets Classes, by number.
func (d *Digest) classes(classes map[uint8]*opSamples) {
	for c, s := range classes {
		g := s.group()
		g.Class = c
		d.Classes = append(d.Classes, g)
	}
	slices.SortFunc(d.Classes, func(a, b Group) int { return cmp.Compare(a.Class, b.Class) })
}

// group returns the samples as a group.
func (s *opSamples) group() Group {
	return Group{
		Count: s.n, Failed: s.failed, Bytes: s.bytes,
		Queue: s.queue.quantiles(), Device: s.device.quantiles(), Wake: s.wake.quantiles(), Batch: s.batch.quantiles(),
	}
}

// quantiles sorts the samples, and returns their quantiles.
func (s samples) quantiles() Quantiles {
	if len(s) == 0 {
		return Quantiles{}
	}
	slices.Sort(s)
	rank := func(perMille int) time.Duration {
		return s[(len(s)*perMille+999)/1000-1]
	}
	return Quantiles{rank(500), rank(900), rank(990), rank(999), s[len(s)-1]}
}
