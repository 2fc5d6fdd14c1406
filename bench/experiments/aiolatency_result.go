package experiments

import (
	"fmt"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// Points returns each row; an operation is a write of a burst.
func (r *AIOResult) Points() []Point {
	var points []Point
	for _, row := range r.Rows {
		cell := "I/O scheduler " + SchedulerName(row.Scheduler)
		l := load.Load{Kind: load.WriteDirect, Size: r.Disk.Size, Goroutines: r.Writes}
		result := &duel.Result{Side: load.Side{Name: string(row.Engine)}, Unsupported: row.Unsupported}
		for _, f := range row.Rounds {
			result.Rounds = append(result.Rounds, load.Slice{
				Ops: float64(r.Writes), Elapsed: time.Duration(f.All), P50: time.Duration(f.Latency), Max: time.Duration(f.Worst),
			})
		}
		points = append(points, Point{cell, l, result})
	}
	return points
}

// check returns an error for a round without figures, or a burst with too few or too many writes.
func (r *AIOResult) check() error {
	for _, row := range r.Rows {
		for _, f := range row.Rounds {
			for _, n := range []stats.Number{f.All, f.Batch, f.Half, f.Submit, f.Longest, f.First, f.Latency, f.Worst} {
				if !(n > 0) {
					return fmt.Errorf("a round of %s, %s lacks a figure", SchedulerName(row.Scheduler), row.Engine)
				}
			}
		}
		if b := row.Round; b != nil && (len(b.Queued) != r.Writes || len(b.Notified) != r.Writes || len(b.Submit) != r.Writes) {
			return fmt.Errorf("the burst of %s, %s has not %d writes", SchedulerName(row.Scheduler), row.Engine, r.Writes)
		}
	}
	return nil
}
