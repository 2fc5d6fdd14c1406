package duel

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// Plan is how long and how often each side is measured.
type Plan struct {
	Time   time.Duration // of a slice
	Rounds int           // slices of each side that count
	// Fresh starts new processes for each round. The addresses of its memory make one process
	// several percent quicker than another for as long as it runs.
	Fresh bool
}

// warm returns the length of the warm-up slice.
func (p Plan) warm() time.Duration { return p.Time / 2 }

// leadIn returns what precedes the window of a slice: enough for the Go
// runtime to give threads to goroutines that block (direct reads by 64 of
// them: 15 % more operations a second without it than after it).
func leadIn(slice time.Duration) time.Duration { return max(15*time.Millisecond, slice/4) }

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
	Explain     string          `json:"explain,omitempty"`
	Threads     int             `json:"threads"` // peak number of OS threads, 0 where it is not known
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
	d := &duel{entries: entries, results: make([]*Result, len(entries)), workers: make([]contestant, len(entries))}
	defer d.stop()
	switch err := d.run(ctx, a, p); {
	case err == nil:
		return d.results, nil
	case ctx.Err() == nil:
		return nil, err
	}
	return d.finished(), context.Cause(ctx)
}

// duel is one comparison in progress. workers[i] is nil where entry i is
// unsupported.
type duel struct {
	entries []Entry
	results []*Result
	workers []contestant
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
	for _, w := range d.workers {
		if w != nil {
			w.Stop()
		}
	}
}

func (d *duel) run(ctx context.Context, a *Arena, p Plan) error {
	for i, e := range d.entries {
		d.results[i] = &Result{Side: e.Side}
		if err := d.start(ctx, i, a); err != nil {
			return err
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
	for n := range p.Rounds {
		if p.Fresh {
			if err := d.restart(ctx, n, a); err != nil {
				return err
			}
		}
		if err := d.round(n, slice); err != nil {
			return err
		}
		if ctx.Err() != nil { // fio may have been interrupted as well, and have measured less
			return context.Cause(ctx)
		}
		d.done++
	}
	return nil
}

// restart replaces the workers by new processes.
func (d *duel) restart(ctx context.Context, n int, a *Arena) error {
	for k := range d.workers {
		i := d.turn(n, k)
		if d.workers[i] == nil {
			continue
		}
		d.workers[i].Stop()
		if err := d.start(ctx, i, a); err != nil {
			return err
		}
	}
	return nil
}

func (d *duel) start(ctx context.Context, i int, a *Arena) error {
	e := d.entries[i]
	w, err := a.contestant(ctx, e.Side)
	if err != nil {
		return fmt.Errorf("%s: %w", e, err)
	}
	d.workers[i] = w
	setup := load.Setup{Path: a.Path, Logs: a.Logs, Side: e.Side, Load: e.Load}
	reply, err := w.Ask(load.Request{Setup: &setup})
	if err != nil {
		return fmt.Errorf("%s: %w", e, err)
	}
	d.results[i].Explain = reply.Explain
	d.retire(i, reply)
	return nil
}

// turn returns which side is the k-th in round n: the last is first in every other one.
func (d *duel) turn(n, k int) int {
	if n%2 == 1 {
		return len(d.workers) - 1 - k
	}
	return k
}

// round lets each side run one slice, in turn.
// All sides of a round work on the same offsets.
func (d *duel) round(n int, slice time.Duration) error {
	d.seed++
	for k := range d.workers {
		i := d.turn(n, k)
		if d.workers[i] == nil {
			continue
		}
		if err := d.slice(i, slice); err != nil {
			return fmt.Errorf("%s: %w", d.entries[i], err)
		}
	}
	return nil
}

func (d *duel) slice(i int, slice time.Duration) error {
	w, r := d.workers[i], d.results[i]
	peak := func() program.Peak { return program.Peak{} }
	if w, ok := w.(*worker); ok {
		peak = program.Watch(w.cmd.Process.Pid)
	}
	reply, err := w.Ask(load.Request{Slice: &load.SliceReq{Lead: leadIn(slice), Time: slice, Seed: d.seed}})
	r.Threads = max(r.Threads, peak().Threads)
	if err != nil {
		return err
	}
	if !d.retire(i, reply) {
		r.Rounds = append(r.Rounds, *reply.Slice)
		r.Stats = reply.Stats
	}
	return nil
}

// retire stops the worker of side i if the reply is that the load is unsupported.
func (d *duel) retire(i int, reply load.Reply) bool {
	if reply.Unsupported == "" {
		return false
	}
	d.results[i].Unsupported = reply.Unsupported
	d.workers[i].Stop()
	d.workers[i] = nil
	return true
}
