package duel

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// Plan is how long and how often each side is measured.
type Plan struct {
	Time   time.Duration // of a slice
	Rounds int           // slices of each side that count; with Enough the most of them, 0 is no limit
	// Enough is called after each round with the results up to then and the time since Compare
	// began. The comparison ends when it returns true. nil measures all Rounds.
	Enough func(results []*Result, spent time.Duration) bool
}

// warm returns the length of the warm-up slice.
func (p Plan) warm() time.Duration { return p.Time / 2 }

// leadIn returns what precedes the window of a slice: enough for the Go runtime of a new process
// to give threads to goroutines that block (direct reads by 64 of them reach their speed after 20
// to 40 ms).
func leadIn(slice time.Duration) time.Duration { return max(30*time.Millisecond, slice/4) }

// over reports whether n rounds are enough.
func (p Plan) over(n int, results []*Result, began time.Time) bool {
	if p.Enough == nil {
		return n >= p.Rounds
	}
	return n > 0 && (n == p.Rounds || p.Enough(results, time.Since(began)))
}

// A slice is stretched, up to maxStretch times, until an average goroutine
// performs opsPerGoroutine operations in it: with less, its ends would weigh more
// than its middle.
const (
	opsPerGoroutine = 6
	maxStretch      = 5
)

// stretch returns how long slices have to be, given the warm-up's results.
func (p Plan) stretch(warm []*Result) time.Duration {
	d := p.Time
	for _, r := range warm {
		if r.warm.Ops > 0 {
			d = max(d, opsPerGoroutine*r.warm.Mean)
		}
	}
	return min(d, maxStretch*p.Time)
}

// Result is the result of one side.
type Result struct {
	Side load.Side `json:"side"`
	// Unsupported is why there are no rounds: this machine lacks what the load needs.
	Unsupported string          `json:"unsupported,omitempty"`
	Explain     string          `json:"explain,omitempty"` // with the choices of the last round's process
	Threads     int             `json:"threads"`           // peak number of OS threads, 0 where it is not known
	Rounds      []load.Slice    `json:"rounds"`
	Stats       json.RawMessage `json:"stats,omitempty"` // sluice's, after the last round

	warm load.Slice
}

// Series returns a figure of every round.
func (r *Result) Series(of func(load.Slice) float64) []stats.Number {
	v := make([]stats.Number, len(r.Rounds))
	for i, s := range r.Rounds {
		v[i] = stats.Number(of(s))
	}
	return v
}

// Arena is where loads are performed: a file, and the program whose processes are the
// workers.
type Arena struct {
	Path string   // of the file
	Logs string   // how the names of logs begin; "" is Path
	Exe  string   // the worker's executable file
	Argv []string // its arguments, the program's name first
	// Programs are the programs of ways that do not use Exe.
	Programs map[load.Way]Program
	// Starters are the programs of load.Start. If there are none, NoStarters says why.
	Starters   map[load.Way]string
	NoStarters string
	// Group has all workers; nil is none.
	Group Group
}

// Group is a group of processes that have a limit together.
type Group interface {
	// Add puts a process into the group.
	Add(pid int) error
}

// Program is an executable file that serves as worker, without arguments.
type Program struct {
	Exe string
	Env []string // in addition to this process's
}

// Compare measures the entries in turn and returns their results, in the same order. If ctx
// ends, Compare ends all processes and returns the cause of ctx, with the results of the rounds
// that all sides finished; nil if there are none.
func (a *Arena) Compare(ctx context.Context, entries []Entry, p Plan) ([]*Result, error) {
	d := &duel{entries: entries, results: make([]*Result, len(entries)), sides: make([]contestant, len(entries))}
	defer d.stop()
	switch err := d.run(ctx, a, p); {
	case err == nil:
		return d.results, nil
	case ctx.Err() == nil:
		return nil, err
	}
	return d.finished(), context.Cause(ctx)
}

// duel is one comparison in progress. sides[i] is nil where entry i is unsupported.
type duel struct {
	entries []Entry
	results []*Result
	sides   []contestant
	sink    *sink // nil if no load needs one
	seed    uint64
	done    int // rounds that count, of all sides
}

// finished returns the results without the slices of a round that not all sides finished.
func (d *duel) finished() []*Result {
	if d.done == 0 {
		return nil
	}
	for _, r := range d.results {
		r.Rounds = r.Rounds[:min(d.done, len(r.Rounds))]
	}
	return d.results
}

func (d *duel) stop() {
	for _, s := range d.sides {
		if s != nil {
			s.Stop()
		}
	}
	d.sink.close()
}

func (d *duel) run(ctx context.Context, a *Arena, p Plan) error {
	began := time.Now()
	for i, e := range d.entries {
		d.results[i] = &Result{Side: e.Side}
		if err := d.setup(ctx, i, a); err != nil {
			return fmt.Errorf("%s: %w", e, err)
		}
	}
	if err := d.round(0, p.warm()); err != nil {
		return err
	}
	for _, r := range d.results {
		if len(r.Rounds) > 0 {
			r.warm, r.Rounds = r.Rounds[0], nil
		}
	}
	slice := p.stretch(d.results)
	for !p.over(d.done, d.results, began) && d.any() {
		if err := d.round(d.done, slice); err != nil {
			return fmt.Errorf("round %d: %w", d.done+1, err)
		}
		if ctx.Err() != nil { // fio may have been interrupted as well, and have measured less
			return context.Cause(ctx)
		}
		d.done++
	}
	return nil
}

// pace is load.Pace, measured once.
var pace = sync.OnceValue(load.Pace)

// openSink opens the sink, if there is none yet.
func (d *duel) openSink() (err error) {
	if d.sink == nil {
		d.sink, err = newSink()
	}
	return err
}

// any reports whether a side is left that can be measured.
func (d *duel) any() bool {
	return slices.ContainsFunc(d.sides, func(s contestant) bool { return s != nil })
}

func (d *duel) setup(ctx context.Context, i int, a *Arena) error {
	e := d.entries[i]
	setup := load.Setup{Path: a.Path, Logs: a.Logs, Side: e.Side, Load: e.Load}
	if e.Load.Kind.Work() > 0 {
		setup.Pace = pace()
	}
	if e.Load.Kind == load.ServeFile {
		if err := d.openSink(); err != nil {
			return err
		}
		setup.Sink = d.sink.address()
	}
	d.sides[i] = a.contestant(ctx, e)
	reply, err := d.sides[i].Setup(setup)
	if err != nil {
		return err
	}
	d.results[i].Explain = reply.Explain
	d.retire(i, reply)
	return nil
}

// turn returns which side is the k-th in round n: the last is first in every other one.
func (d *duel) turn(n, k int) int {
	if n%2 == 1 {
		return len(d.sides) - 1 - k
	}
	return k
}

// round lets each side run one slice, in turn.
// All sides of a round work on the same offsets.
func (d *duel) round(n int, slice time.Duration) error {
	d.seed++
	for k := range d.sides {
		i := d.turn(n, k)
		if d.sides[i] == nil {
			continue
		}
		if err := d.slice(i, slice); err != nil {
			return fmt.Errorf("%s: %w", d.entries[i], err)
		}
	}
	return nil
}

func (d *duel) slice(i int, slice time.Duration) error {
	r := d.results[i]
	reply, threads, err := d.sides[i].Slice(load.SliceReq{Lead: leadIn(slice), Time: slice, Seed: d.seed})
	r.Threads = max(r.Threads, threads)
	if err != nil {
		return err
	}
	if !d.retire(i, reply) {
		r.Rounds = append(r.Rounds, *reply.Slice)
		r.Stats, r.Explain = reply.Stats, cmp.Or(reply.Explain, r.Explain) // fio explains itself once
	}
	return nil
}

// retire stops side i if the reply is that the load is unsupported.
func (d *duel) retire(i int, reply load.Reply) bool {
	if reply.Unsupported == "" {
		return false
	}
	d.results[i].Unsupported = reply.Unsupported
	d.sides[i].Stop()
	d.sides[i] = nil
	return true
}
