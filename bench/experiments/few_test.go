package experiments

import (
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// fewCell returns a cell with that many rounds, in which sluice has half of os.File's operations.
func fewCell(rounds int) Cell {
	sides := []*duel.Result{{Side: load.OSFile}, {Side: load.Sluice("")}}
	for i, side := range sides {
		for range rounds {
			side.Rounds = append(side.Rounds, load.Slice{Ops: float64(2 - i), Elapsed: 1, CPU: 1, P99: 1})
		}
	}
	return newCell(load.Load{Kind: load.ReadCached, Size: 4096, Goroutines: 1}, sides)
}

// TestFewRoundsInAMatrix checks that a cell with five rounds is marked and one with six has a
// verdict.
func TestFewRoundsInAMatrix(t *testing.T) {
	for rounds, want := range map[int]bool{RoundsForVerdict - 1: true, RoundsForVerdict: false} {
		r := &MatrixResult{Rounds: rounds, Cells: []Cell{fewCell(rounds)}}
		text := r.Cells[0].row() + r.summary()
		if marks := strings.Count(text, "*"); (marks == 2) != want || (marks == 0) == want {
			t.Errorf("with %d rounds there are %d marks; want that of the cell, and what it means: %t\n%s", rounds, marks, want, text)
		}
		if judged := strings.Contains(text, "1 below 0.95"); judged == want {
			t.Errorf("with %d rounds the cell has a verdict: %t\n%s", rounds, judged, text)
		}
		err := r.failBelow(0.95)
		if _, below := err.(*BelowError); err == nil || below == want {
			t.Errorf("with %d rounds failBelow = %v", rounds, err)
		}
	}
}

// TestNothingMeasured checks results in which nothing, or something, was measured.
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
