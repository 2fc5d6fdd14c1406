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

// Plan is the length and number of a side's slices.
type Plan struct {
	Time time.Duration // of a slice
	// Rounds is the number of slices of each side that count. With Enough it is the most; 0 means
	// no limit.
	Rounds int
	// Enough is called after each round with the results so far and the time since Compare began.
	// The comparison ends when it returns true. nil measures all Rounds.
	Enough func(results []*Result, spent time.Duration) bool
}

// warm returns the length of the warm-up slice.
func (p Plan) warm() time.Duration { return p.Time / 2 }

// leadIn returns the time before the window of a slice. It gives the Go runtime of a new process
// time to make threads for goroutines that block: 64 direct readers reach their speed after 20 to
// 40 ms.
func leadIn(slice time.Duration) time.Duration { return max(30*time.Millisecond, slice/4) }

// over reports whether n rounds are enough.
func (p Plan) over(n int, results []*Result, began time.Time) bool {
	if p.Enough == nil {
		return n >= p.Rounds
	}
	return n > 0 && (n == p.Rounds || p.Enough(results, time.Since(began)))
}

// A slice is stretched, up to maxStretch times, until an average goroutine performs opsPerGoroutine
// operations in it. With fewer, its ends would weigh more than its middle.
const (
	opsPerGoroutine = 6
	maxStretch      = 5
)

// stretch returns the necessary length of slices, by the warm-up's results.
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
	// Unsupported is the reason if there are no rounds: this machine lacks a requirement of the
	// load.
	Unsupported string          `json:"unsupported,omitempty"`
	Explain     string          `json:"explain,omitempty"` // with the last process's choices
	Threads     int             `json:"threads"`           // peak of OS threads; 0 if unknown
	Rounds      []load.Slice    `json:"rounds"`
	Stats       json.RawMessage `json:"stats,omitempty"` // of sluice, after the last round

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

// Arena is the place of loads: a file, and the program whose processes are the workers.
type Arena struct {
	Path string   // of the file
	Logs string   // the prefix of the logs' names; "" is Path
	Exe  string   // the worker's executable file
	Argv []string // its arguments, the program's name first
	// Programs has the programs of ways that do not use Exe.
	Programs map[load.Way]Program
	// Starters has the programs of load.Start. If there are none, NoStarters is the reason.
	Starters   map[load.Way]string
	NoStarters string
	// Group has all workers; nil means no group.
	Group Group
}

// Group is a group of processes that share a limit.
type Group interface {
	// Add puts a process into the group.
	Add(pid int) error
}

// Program is an executable file that is a worker without arguments.
type Program struct {
	Exe string
	Env []string // in addition to this process's
}

// Compare measures the entries in turn, and returns their results in the same order. If ctx ends,
// Compare ends all processes. It then returns the cause of ctx, with the results of the rounds that
// all sides finished, or nil.
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

// duel is one comparison in progress. sides[i] is nil if entry i is unsupported.
type duel struct {
	entries []Entry
	results []*Result
	sides   []contestant
	sink    *sink // nil if no load needs one
	seed    uint64
	done    int // counting rounds that all sides have finished
}

// finished returns the results without the slices of an unfinished round.
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
		if ctx.Err() != nil { // fio may also have been interrupted, and have measured less
			return context.Cause(ctx)
		}
		d.done++
	}
	return nil
}

// pace is load.Pace, measured once.
var pace = sync.OnceValue(load.Pace)

// openSink opens the sink, unless it is open.
func (d *duel) openSink() (err error) {
	if d.sink == nil {
		d.sink, err = newSink()
	}
	return err
}

// any reports whether any side can still be measured.
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

// turn returns the side that is k-th in round n. Every other round is in reverse order.
func (d *duel) turn(n, k int) int {
	if n%2 == 1 {
		return len(d.sides) - 1 - k
	}
	return k
}

// round lets each side run one slice, in turn. All sides of a round have the same offsets.
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
		// fio explains itself once.
		r.Stats, r.Explain = reply.Stats, cmp.Or(reply.Explain, r.Explain)
	}
	return nil
}

// retire stops side i if the reply says that the load is unsupported.
func (d *duel) retire(i int, reply load.Reply) bool {
	if reply.Unsupported == "" {
		return false
	}
	d.results[i].Unsupported = reply.Unsupported
	d.sides[i].Stop()
	d.sides[i] = nil
	return true
}
