//go:build sluice_probes

package ioengine

import (
	"fmt"
	"iter"
	"math/bits"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/probe"
)

// explorer runs a scenario of the engine's own code again and again, each time with the steps of
// its threads in another order, until every order has been tried. A step is one access to what the
// threads share (probe), with all that the thread does up to its next one. The steps after a state
// are tried once, in whatever order the state was reached.
type explorer struct {
	scenario func(w *world)
	// switches is how often, in one run, a thread that could go on is left for
	// another, at most. 0 is as often as can be.
	switches int
	// known is the states that were reached.
	known map[uint64]struct{}
	runs  int
	path  []choice // of the run in progress
}

// choice is which of several steps was taken.
type choice struct{ taken, of int }

// longest is more steps than any run has that comes to an end.
const longest = 1000

// explore returns what is wrong with a run, and its steps; "" if all are right.
func (x *explorer) explore() (wrong string) {
	x.known = make(map[uint64]struct{})
	for {
		if wrong = x.run(nil); wrong != "" {
			var trace []string
			x.run(&trace)
			return wrong + ":\n" + strings.Join(trace, "\n")
		}
		last := len(x.path) - 1
		for last >= 0 && x.path[last].taken+1 == x.path[last].of {
			last--
		}
		if x.path = x.path[:last+1]; last < 0 {
			return ""
		}
		x.path[last].taken++
	}
}

// run takes the steps of x.path and then, unless there is a trace to write, goes
// on up to an end or to a state that is known.
func (x *explorer) run(trace *[]string) (wrong string) {
	x.runs++
	w := &world{trace: trace, bounded: x.switches > 0, left: x.switches}
	defer w.stop()
	x.scenario(w)
	for i := 0; w.wrong == ""; i++ {
		n := w.choices()
		switch {
		case n == 0:
			return w.atEnd()
		case i == longest:
			return "a run without an end"
		case i < len(x.path):
			if x.path[i].of != n {
				panic("explorer: the same steps led to another state")
			}
		case trace != nil || x.knows(w):
			return ""
		default:
			x.path = append(x.path, choice{0, n})
		}
		w.choose(x.path[i].taken)
	}
	return w.wrong
}

// knows reports whether w's state was reached before.
func (x *explorer) knows(w *world) bool {
	key := w.key()
	_, known := x.known[key]
	x.known[key] = struct{}{}
	return known
}

// world is a run of a scenario: rings, their drivers, which the explorer plays, and threads. One
// thread takes a step at a time. The world is the probe of the threads.
type world struct {
	rings   []playedRing
	threads []*thread
	current *thread
	can     []int // threads that can take a step; then, negative, operations that can end
	// bounded says that only left switches are left.
	bounded bool
	left    int
	// unfinished says what is wrong at the end, or "".
	unfinished func() string
	// more is what the future depends on beside the rings and the threads.
	more  func() uint64
	wrong string
	trace *[]string
}

// playedRing is an engine and its driver.
type playedRing struct {
	e *Engine
	d *slowDriver
}

// thread is a goroutine of a scenario.
type thread struct {
	name  string
	next  func() (struct{}, bool) // takes a step, and reports whether there is another
	stop  func()
	yield func(struct{}) bool
	ready func() bool // of what the thread waits for; nil if it waits for nothing
	// history is all that the thread has seen. Two with the same are at the same
	// place.
	history       uint64
	gone, stopped bool
}

// stopping is what a thread panics with when its run is given up.
type stopping struct{}

// play adds e and its driver to the scenario.
func (w *world) play(e *Engine, d *slowDriver) {
	w.rings, d.w = append(w.rings, playedRing{e, d}), w
	e.rings.Now = func() time.Duration { return 0 } // no yield is slow
	probe.Set(w)
	e.startLeader = func() {
		e.leaders.Add(1)
		w.start("leader", e.loop)
	}
}

// start adds a thread, which stops before its first step.
func (w *world) start(name string, run func()) {
	t := &thread{name: name}
	t.next, t.stop = iter.Pull(func(yield func(struct{}) bool) {
		defer func() {
			if r := recover(); r != nil && !t.stopped {
				w.wrong = fmt.Sprintf("%s panics: %v", name, r)
			}
		}()
		t.yield = yield
		w.Step()
		run()
	})
	w.threads = append(w.threads, t)
	by := w.current
	w.resume(t)
	w.forget(0)
	if by != nil {
		w.current = by
	}
}

// resume has t take a step.
func (w *world) resume(t *thread) {
	w.current = t
	if _, more := t.next(); !more {
		t.gone = true
	}
}

// stop ends all threads.
func (w *world) stop() {
	defer probe.Set(nil)
	for _, t := range w.threads {
		w.current = t
		t.stop()
	}
}

// Step has the current thread stop until it is chosen again.
func (w *world) Step() { w.Wait(nil) }

func (w *world) Wait(ready func() bool) {
	t := w.current
	if t == nil || t.stopped { // before the first thread, or after the run
		return
	}
	if t.ready = ready; !t.yield(struct{}{}) {
		t.stopped = true
		panic(stopping{})
	}
	t.ready = nil
	t.history = hash(t.history, 0)
	if w.trace != nil {
		w.note(t.name + " " + place())
	}
}

func (w *world) Saw(v any) {
	if w.current == nil {
		return
	}
	n := number(v)
	w.current.history = hash(w.current.history, n)
	if w.trace != nil {
		(*w.trace)[len(*w.trace)-1] += fmt.Sprintf(" = %d", int64(n))
	}
}

// number returns a number for a value that an access has returned.
func number(v any) uint64 {
	switch v := v.(type) {
	case bool:
		if v {
			return 1
		}
		return 0
	case int:
		return uint64(v)
	case int32:
		return uint64(v)
	case uint32:
		return uint64(v)
	case *driver.Op:
		if v == nil {
			return 0
		}
		return uint64(v.Off) + 1
	}
	panic(fmt.Sprintf("explorer: a %T was seen", v))
}

// forget replaces the current thread's history by n.
func (w *world) forget(n int) {
	w.current.history = hash(uint64(w.current.name[0]), uint64(n))
}

// forgetAt is forget, but for where the thread is, and for ops.
func (w *world) forgetAt(ops []*driver.Op) {
	if w.current == nil {
		return
	}
	var pcs [16]uintptr
	w.forget(0)
	for _, pc := range pcs[:runtime.Callers(3, pcs[:])] {
		w.current.history = hash(w.current.history, uint64(pc))
	}
	for _, op := range ops {
		w.Saw(op)
	}
}

// note adds a line to the trace.
func (w *world) note(line string) {
	if w.trace != nil {
		*w.trace = append(*w.trace, line)
	}
}

// place is where the current thread has stopped.
func place() string {
	pcs := make([]uintptr, 10)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(3, pcs)])
	for {
		f, more := frames.Next()
		if probing := strings.HasSuffix(f.File, "probe/on.go") || strings.HasSuffix(f.File, "explorer_test.go"); !probing || !more {
			return fmt.Sprintf("%s:%d", f.Function[strings.LastIndexByte(f.Function, '.')+1:], f.Line)
		}
	}
}

// settle has the threads take steps, in one order, until they wait.
func (w *world) settle() {
	for i := 0; i < len(w.threads); i++ {
		if t := w.threads[i]; t.canGoOn() {
			w.resume(t)
			i = -1
		}
	}
}

// choices finds what can be done next, and returns how many things that is.
func (w *world) choices() int {
	w.can = w.can[:0]
	if w.bounded && w.left == 0 && w.current.canGoOn() {
		w.can = append(w.can, slices.Index(w.threads, w.current))
		return 1
	}
	for i, t := range w.threads {
		if t.canGoOn() {
			w.can = append(w.can, i)
		}
	}
	before := 0 // operations in the rings before that
	for _, r := range w.rings {
		for i, op := range r.d.held {
			if r.d.mayEnd(op) {
				w.can = append(w.can, -1-before-i)
			}
		}
		before += len(r.d.held)
	}
	return len(w.can)
}

func (t *thread) canGoOn() bool { return !t.gone && (t.ready == nil || t.ready()) }

// choose does one of them.
func (w *world) choose(i int) {
	i = w.can[i]
	if w.bounded && w.current.canGoOn() && (i < 0 || w.threads[i] != w.current) {
		w.left--
	}
	if i >= 0 {
		w.resume(w.threads[i])
		return
	}
	i = -1 - i
	for _, r := range w.rings {
		if i < len(r.d.held) {
			w.note(fmt.Sprintf("the end of operation %d", r.d.held[i].Off))
			r.d.end(i)
			return
		}
		i -= len(r.d.held)
	}
}

// atEnd says what is wrong when nothing more can happen.
func (w *world) atEnd() string {
	defer w.unprobed()()
	for _, t := range w.threads {
		if !t.gone {
			return t.name + " waits for ever"
		}
	}
	for _, r := range w.rings {
		e := r.e
		if e.state.Load() != idle || e.inflight.Load() != 0 || e.setOps.Load() != 0 || e.leaderRequests.Load() != 0 {
			return "something is in flight, or led, at the end"
		}
	}
	return w.unfinished()
}

// key is the state: what all share, and where each thread is.
func (w *world) key() (key uint64) {
	current := w.current
	defer w.unprobed()()
	for _, r := range w.rings {
		key = hash(key, r.key())
	}
	key = hash(key, w.more())
	all := uint64(0) // whatever their order
	for _, t := range w.threads {
		if !t.gone {
			all += hash(t.history, number(t.ready != nil))
		}
	}
	if w.bounded {
		all += hash(current.history, uint64(w.left))
	}
	return hash(key, all)
}

// key is what all threads share of the ring.
func (r playedRing) key() (key uint64) {
	e := r.e
	for _, n := range []uint64{
		uint64(e.state.Load()), uint64(e.inflight.Load()), uint64(e.setOps.Load()), uint64(e.leaderRequests.Load()),
		uint64(e.waiting.Load()), uint64(e.writes.Load()), number(e.mu.Free()),
		uint64(min(e.arrived.Load(), minSubmitThreshold)), r.d.key(),
		number(e.help.reaping.Free()), uint64(min(e.help.reaped, 1)),
		uint64(min(e.reapedOf.Load(), 2)), number(e.spread.Load()),
	} {
		key = hash(key, n)
	}
	all := uint64(0) // whatever their order
	for op := e.inbox.Load(); op != nil; op = op.Next {
		all += hash(1, number(op))
	}
	for op := e.backlog.queue.Front(); op != nil; op = op.Links.Next() {
		all += hash(2, number(op))
	}
	for op := e.backlog.held.Front(); op != nil; op = op.Links.Next() {
		all += hash(3, number(op))
	}
	return hash(key, all)
}

// unprobed has what the explorer itself looks at be no step, until restore is called.
func (w *world) unprobed() (restore func()) {
	current := w.current
	w.current = nil
	return func() { w.current = current }
}

// hash mixes v into h.
func hash(h, v uint64) uint64 {
	hi, lo := bits.Mul64(h^0x9e3779b97f4a7c15, v^0xbf58476d1ce4e5b9)
	return bits.RotateLeft64(hi^lo, 31) + h
}
