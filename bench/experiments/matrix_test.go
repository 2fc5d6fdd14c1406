package experiments

import (
	"errors"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// cellOf returns a cell with these ratios of operations a second, one a round.
func cellOf(goroutines int, ratios ...float64) Cell {
	sides := []*duel.Result{{Side: load.OSFile}, {Side: load.Sluice("")}}
	for _, r := range ratios {
		sides[0].Rounds = append(sides[0].Rounds, load.Slice{Ops: 1000, Elapsed: time.Second, CPU: time.Second, P99: 1})
		sides[1].Rounds = append(sides[1].Rounds, load.Slice{Ops: 1000 * r, Elapsed: time.Second, CPU: time.Second, P99: 1})
	}
	return newCell(load.Load{Kind: load.ReadCached, Size: 4096, Goroutines: goroutines}, sides)
}

// TestFailBelowInterval checks that a cell fails only if its whole interval is below the limit.
func TestFailBelowInterval(t *testing.T) {
	r := &MatrixResult{Cells: []Cell{
		cellOf(1, 0.80, 0.81, 0.82, 0.84, 0.84, 0.85),
		cellOf(2, 0.80, 0.81, 0.82, 0.83, 0.84, 1.10), // its median is below
		cellOf(3, 1.00, 1.00, 1.00, 1.00, 1.00, 1.00),
	}}
	for limit, want := range map[float64]string{
		0.80: "",
		0.85: "", // at the edge
		0.86: "matrix: below 0.86: read-cached/4k/1 0.83 (0.80-0.85)",
		1.00: "matrix: below 1: read-cached/4k/1 0.83 (0.80-0.85)",
		1.01: "matrix: below 1.01: read-cached/4k/1 0.83 (0.80-0.85), read-cached/4k/3 1.00 (1.00-1.00)",
	} {
		got := ""
		err := r.failBelow(limit)
		if below, ok := errors.AsType[*BelowError](err); ok {
			got = below.Error()
		} else if err != nil {
			t.Errorf("failBelow(%v) = %v; want a BelowError or nil", limit, err)
		}
		if got != want {
			t.Errorf("failBelow(%v) = %q; want %q", limit, got, want)
		}
	}
}

// TestTally counts one cell of each verdict.
func TestTally(t *testing.T) {
	cells := []Cell{
		cellOf(1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.2),
		cellOf(2, 0.8, 0.8, 0.8, 0.8, 0.8, 0.9),
		cellOf(4, 0.98, 0.99, 1, 1, 1.01, 1.02),
		cellOf(8, 0.5, 0.9, 1, 1, 1.1, 2),
		cellOf(16, 0.5, 0.5),
	}
	if got, want := tally(cells), "5 cells: 1 ahead, 1 level, 1 behind, 2 unclear"; got != want {
		t.Errorf("tally = %q; want %q", got, want)
	}
	if got, want := (&MatrixResult{Cells: cells}).Seen(), "5 cells: 1 ahead, 1 level, 1 behind, 2 unclear; the median of the ratios is 1.00. Behind: read-cached/4k/2 0.80 (0.80-0.90)."; got != want {
		t.Errorf("Seen = %q; want %q", got, want)
	}
	if c := cells[1].Ratios; c.Verdict != stats.Behind || c.CPULow.IsNaN() || c.P99High.IsNaN() {
		t.Errorf("ratios are %+v; want the verdict and all intervals", *c)
	}
}
