package experiments

import (
	"fmt"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// pebbleTarget is a target of a side in a cell, for one of its figures.
type pebbleTarget struct {
	kind       load.Kind
	goroutines int
	side       load.Way
	what       string
	figure     func(PebbleSide) stats.Number
	limit      stats.Number
	most       bool // the limit is an upper bound, not a lower one
}

// pebbleTargets are for a database of 4 GiB and a memory of 1 GiB.
var pebbleTargets = []pebbleTarget{
	rateTarget(64, load.ByPebbleBuffer, 1.8), rateTarget(64, load.ByPebbleDirect, 2),
	rateTarget(256, load.ByPebbleBuffer, 1.9), rateTarget(256, load.ByPebbleDirect, 2.2),
	p99Target(load.PebbleGet, 64, load.ByPebbleBuffer, 0.3), p99Target(load.PebbleGet, 64, load.ByPebbleDirect, 0.3),
	p99Target(load.PebbleGet, 256, load.ByPebbleBuffer, 0.3), p99Target(load.PebbleGet, 256, load.ByPebbleDirect, 0.3),
	p99Target(load.PebbleCompact, 64, load.ByPebbleHybrid, 0.6),
	{load.PebbleCompact, 64, load.ByPebbleHybrid, "p99.9", func(s PebbleSide) stats.Number { return s.P999 }, 0.3, true},
}

func rateTarget(goroutines int, side load.Way, limit stats.Number) pebbleTarget {
	return pebbleTarget{load.PebbleGet, goroutines, side, "operations", func(s PebbleSide) stats.Number { return s.Ratio }, limit, false}
}

func p99Target(kind load.Kind, goroutines int, side load.Way, limit stats.Number) pebbleTarget {
	return pebbleTarget{kind, goroutines, side, "p99", func(s PebbleSide) stats.Number { return s.P99 }, limit, true}
}

// pebbleFloor is the least ratio of operations to stock's, for each side in each cell.
const pebbleFloor = 0.97

// Verdicts returns each target, and whether it was reached.
func (r *PebbleResult) Verdicts() []string {
	if r.Missing != "" {
		return []string{"not measured: " + r.Missing}
	}
	verdicts := append([]string{r.floor()}, r.threads())
	for _, t := range pebbleTargets {
		for _, c := range r.Cells {
			for _, s := range c.Sides {
				if t.kind == c.Kind && t.goroutines == c.Goroutines && t.side == s.Side.Way && len(s.Rounds) > 0 {
					verdicts = append(verdicts, t.verdict(c, s))
				}
			}
		}
	}
	return verdicts
}

func (t pebbleTarget) verdict(c PebbleCell, s PebbleSide) string {
	v, limit := t.figure(s), "at least"
	ok := v >= t.limit
	if t.most {
		ok, limit = v <= t.limit, "at most"
	}
	return fmt.Sprintf("%s: %s of %s has %s times stock's %s (%s %s)", reachedBy(ok, c.rounds(s)), c.Name, s.Side.Name,
		report.Ratio(v), t.what, limit, report.Ratio(t.limit))
}

// reachedBy is reached for a figure from so many rounds.
func reachedBy(ok bool, rounds int) string {
	if rounds < RoundsForVerdict {
		return "no verdict"
	}
	return reached(ok)
}

// floor returns the verdict on the row with the lowest ratio to stock.
func (r *PebbleResult) floor() string {
	lowest, name, rounds := stats.NaN, "", 0
	for _, c := range r.Cells {
		for i, s := range c.Sides {
			if i > 0 && len(s.Rounds) > 0 && !s.Ratio.IsNaN() && !(s.Ratio >= lowest) {
				lowest, name, rounds = s.Ratio, c.Name+" of "+s.Side.Name, c.rounds(s)
			}
		}
	}
	if name == "" {
		return "not measured: no side beside stock"
	}
	return fmt.Sprintf("%s: the lowest of all rows has %s times stock's operations, %s (at least %s)",
		reachedBy(lowest >= pebbleFloor, rounds), report.Ratio(lowest), name, report.Ratio(stats.Number(pebbleFloor)))
}

// threads returns the verdict on the threads of pebblevfs.
func (r *PebbleResult) threads() string {
	most, name := 0, ""
	for _, c := range r.Cells {
		for _, s := range c.Sides {
			if s.Side.Way != load.ByPebble && s.Side.Way != load.ByPebbleBuild && s.Threads > most {
				most, name = s.Threads, c.Name+" of "+s.Side.Name
			}
		}
	}
	if name == "" {
		return "not measured: threads of pebblevfs"
	}
	limit, bound := MostThreads(r.Procs)
	return fmt.Sprintf("%s: pebblevfs has up to %d threads, %s (%s)", reached(most <= limit), most, name, bound)
}

// fullPebbleData is the database's size for which the targets hold.
const fullPebbleData = 4 << 30

func (r *PebbleResult) notes() string {
	text := ""
	if r.Data != fullPebbleData {
		text = report.Wrap(fmt.Sprintf("the targets are for a database of %s (--full), not of %s:", report.Bytes(fullPebbleData), report.Bytes(r.Data)))
	}
	for _, v := range r.Verdicts() {
		text += report.Wrap(v)
	}
	return text + "\n"
}
