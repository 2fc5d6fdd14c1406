package experiments

import (
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// fewCell returns a cell with so many rounds, in which sluice performs half as many operations as
// os.File.
func fewCell(rounds int) Cell {
	sides := []*duel.Result{{Side: load.OSFile}, {Side: load.Sluice("")}}
	for i, side := range sides {
		for range rounds {
			side.Rounds = append(side.Rounds, load.Slice{Ops: float64(2 - i), Elapsed: 1, CPU: 1, P99: 1})
		}
	}
	return newCell(load.Load{Kind: load.ReadCached, Size: 4096, Goroutines: 1}, sides)
}

// TestFewRoundsInAMatrix checks that a cell with five rounds is unclear, and one with six has a
// verdict.
func TestFewRoundsInAMatrix(t *testing.T) {
	for rounds, want := range map[int]stats.Verdict{RoundsForVerdict - 1: stats.Unclear, RoundsForVerdict: stats.Behind} {
		r := &MatrixResult{Rounds: rounds, Cells: []Cell{fewCell(rounds)}}
		row := r.Cells[0].row()
		if !strings.Contains(row, string(want)) || strings.Contains(row, "0.50-0.50") == (want == stats.Unclear) {
			t.Errorf("with %d rounds the row is %q; want %q, with an interval if there can be one", rounds, row, want)
		}
		if text := r.summary(); !strings.Contains(text, "1 "+string(want)) {
			t.Errorf("with %d rounds the summary is\n%s\nwant one cell %q", rounds, text, want)
		}
		err := r.failBelow(0.95)
		if _, below := err.(*BelowError); err == nil || below == (want == stats.Unclear) {
			t.Errorf("with %d rounds failBelow = %v", rounds, err)
		}
	}
}

// TestNothingMeasured checks results with and without a measured figure.
func TestNothingMeasured(t *testing.T) {
	none := fewCell(0)
	none.Unsupported, none.Ratios = "sluice: no driver", nil
	none.Sides[1].Unsupported = "no driver"
	lacking := map[string]any{
		matrix.Name: &MatrixResult{Cells: []Cell{none}},
		"fig5":      nil,
	}
	if err := NothingMeasured(lacking); err == nil || err.Error() != "nothing could be measured: sluice: no driver" {
		t.Errorf("NothingMeasured = %v; want why", err)
	}
	for name, result := range map[string]Result{
		matrix.Name:  &MatrixResult{Cells: []Cell{none, fewCell(1)}},
		threads.Name: &ThreadsResult{Rows: []ThreadsRow{{}}},
	} {
		lacking[name] = result
		if err := NothingMeasured(lacking); err != nil {
			t.Errorf("with %s NothingMeasured = %v; want nil", name, err)
		}
		delete(lacking, name)
	}
}
