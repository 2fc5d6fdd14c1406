package duel

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/sluiceio/sluice/cmd/sluice/internal/load"
	"github.com/sluiceio/sluice/cmd/sluice/internal/stats"
)

// Plan says how long and how often each side is measured.
type Plan struct {
	Time   time.Duration // of a slice
	Rounds int           // slices of each side that count
}

// warm returns the length of the slice that precedes those that count.
func (p Plan) warm() time.Duration { return p.Time / 2 }

// leadIn returns what precedes the window of a slice: enough for the Go
// runtime to give threads to goroutines that block (direct reads by 64 of
// them: 15 % more operations a second without it than after it).
func leadIn(slice time.Duration) time.Duration { return max(15*time.Millisecond, slice/4) }

// A slice is stretched, up to maxStretch times, until an average goroutine
// performs opsPerLane operations in it: with less, its ends would weigh more
// than its middle.
const (
	opsPerLane = 6
	maxStretch = 5
)

// stretch returns how long slices have to be, given the warm-up's results.
func (p Plan) stretch(warm []*Result) time.Duration {
	d := p.Time
	for _, r := range warm {
		if r.warm.Ops > 0 {
			d = max(d, opsPerLane*r.warm.Mean)
		}
	}
	return min(d, maxStretch*p.Time)
}

// Result is what one side achieved.
type Result struct {
	Side load.Side `json:"side"`
	// Unsupported says why there are no rounds, on a machine that lacks what
	// the load needs.
	Unsupported string          `json:"unsupported,omitempty"`
	Explain     string          `json:"explain,omitempty"`
	Threads     int             `json:"threads"` // peak of OS threads, 0 where it cannot be told
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

// Arena is where loads are performed: a file, and the program that serves as
// worker.
type Arena struct {
	Path string   // of the file
	Exe  string   // the worker's executable file
	Argv []string // its arguments, the program's name first
}

// Compare measures the load through each side. The results are in the order
// of sides. ctx ends it, and all workers with it.
func (a *Arena) Compare(ctx context.Context, l load.Load, sides []load.Side, p Plan) ([]*Result, error) {
	d := &duel{results: make([]*Result, len(sides)), workers: make([]*worker, len(sides))}
	defer d.stop()
	if err := d.run(ctx, a, l, sides, p); err != nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, fmt.Errorf("%s: %w", l, err)
	}
	return d.results, nil
}

// duel is one cell in progress. workers[i] is nil where side i is unsupported.
type duel struct {
	results []*Result
	workers []*worker
	seed    uint64
}

func (d *duel) stop() {
	for _, w := range d.workers {
		if w != nil {
			w.stop()
		}
	}
}

func (d *duel) run(ctx context.Context, a *Arena, l load.Load, sides []load.Side, p Plan) error {
	for i, side := range sides {
		d.results[i] = &Result{Side: side}
		setup := load.Setup{Path: a.Path, Side: side, Load: l}
		if err := d.start(ctx, i, a, setup); err != nil {
			return fmt.Errorf("%s: %w", side.Name, err)
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
		if err := d.round(n, slice); err != nil {
			return err
		}
	}
	return nil
}

func (d *duel) start(ctx context.Context, i int, a *Arena, setup load.Setup) error {
	w, err := startWorker(ctx, a.Argv, a.Exe)
	if err != nil {
		return err
	}
	d.workers[i] = w
	reply, err := w.ask(load.Request{Setup: &setup})
	if err != nil {
		return err
	}
	d.results[i].Explain = reply.Explain
	d.retire(i, reply)
	return nil
}

// round lets each side run one slice, the last first in every other round.
// All sides of a round work on the same offsets.
func (d *duel) round(n int, slice time.Duration) error {
	d.seed++
	for k := range d.workers {
		i := k
		if n%2 == 1 {
			i = len(d.workers) - 1 - k
		}
		if d.workers[i] == nil {
			continue
		}
		if err := d.slice(i, slice); err != nil {
			return fmt.Errorf("%s: %w", d.results[i].Side.Name, err)
		}
	}
	return nil
}

func (d *duel) slice(i int, slice time.Duration) error {
	w, r := d.workers[i], d.results[i]
	peak := watchThreads(w.cmd.Process.Pid)
	reply, err := w.ask(load.Request{Slice: &load.SliceReq{Lead: leadIn(slice), Time: slice, Seed: d.seed}})
	r.Threads = max(r.Threads, peak())
	if err != nil {
		return err
	}
	if !d.retire(i, reply) {
		r.Rounds = append(r.Rounds, *reply.Slice)
		r.Stats = reply.Stats
	}
	return nil
}

// retire takes side i out if the reply says that it is unsupported.
func (d *duel) retire(i int, reply load.Reply) bool {
	if reply.Unsupported == "" {
		return false
	}
	d.results[i].Unsupported = reply.Unsupported
	d.workers[i].stop()
	d.workers[i] = nil
	return true
}
