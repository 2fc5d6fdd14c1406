package experiments

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// cellOf returns a cell with these ratios of operations a second, one for each round.
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
		cellOf(2, 0.80, 0.81, 0.82, 0.83, 0.84, 1.10), // the median is below the limit
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

// TestFewRatios has cells in which os.File completed no operation in most rounds. Those rounds have
// no ratio, so the cell has too few rounds, however many were measured.
func TestFewRatios(t *testing.T) {
	for _, ratios := range []int{0, 2, 6} {
		few := cellOf(1, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8, 0.8)
		for i := range few.Sides[0].Rounds[ratios:] {
			few.Sides[0].Rounds[ratios+i].Ops = 0
		}
		few = newCell(few.Load, few.Sides)
		want, interval := stats.Unclear, " - "
		if ratios == 6 {
			want, interval = stats.Behind, "0.80-0.80"
		}
		if few.Rounds() != ratios || few.Ratios.Verdict != want || !strings.Contains(few.row(), interval) {
			t.Errorf("of %d ratios: Rounds = %d, verdict %q, row %q; want %d, %q and %q",
				ratios, few.Rounds(), few.Ratios.Verdict, few.row(), ratios, want, interval)
		}
		r := &MatrixResult{Cells: []Cell{few, cellOf(2, 1, 1, 1, 1, 1, 1)}}
		if err := r.failBelow(0.9); (err != nil) != (ratios == 6) {
			t.Errorf("of %d ratios: failBelow = %v", ratios, err)
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
	if got, want := (&MatrixResult{Cells: cells}).Seen(), "5 cells: 1 ahead, 1 level, 1 behind, 2 unclear. Behind: read-cached/4k/2 0.80 (0.80-0.90)."; got != want {
		t.Errorf("Seen = %q; want %q", got, want)
	}
	if c := cells[1].Ratios; c.Verdict != stats.Behind || c.CPULow.IsNaN() || c.P99High.IsNaN() {
		t.Errorf("ratios are %+v; want the verdict and all intervals", *c)
	}
}

// startLab is a fakeLab that counts the programs of start.
type startLab struct {
	fakeLab
	made, removed *int
	fails         error
}

func (l startLab) Starters(context.Context) (func() error, error) {
	*l.made++
	return func() error { *l.removed++; return l.fails }, nil
}

// TestStart checks that the programs of start are built if a cell needs them, and removed. It also
// checks the notes about them.
func TestStart(t *testing.T) {
	made, removed := 0, 0
	lab := startLab{fakeLab{}, &made, &removed, nil}
	if _, _, err := run(t, matrix, lab, Params{Rounds: 1}); err != nil || made != 0 {
		t.Errorf("without the cell: Run = %v, %d times built; want 0", err, made)
	}
	start := Params{Rounds: 6, Cells: []Pattern{mustParse(t, "start")}}
	_, text, err := run(t, matrix, lab, start)
	if err != nil || made != 1 || removed != 1 {
		t.Errorf("Run = %v, %d times built, %d times removed; want 1, 1", err, made, removed)
	}
	if want := "start/4k/1: a process takes, from start to end, 0.05 ms and 3 MiB by os.File,\n  0.04 ms and 3 MiB by sluice\n"; !strings.Contains(text, want) {
		t.Errorf("text is\n%s\nwant %q in it", text, want)
	}
	lab.fails = errors.New("the disk has left")
	lab.fail = "start/4k/1"
	if _, _, err := run(t, matrix, lab, start); !errors.Is(err, lab.fails) || removed != 2 {
		t.Errorf("Run = %v, %d times removed; want both errors, twice", err, removed)
	}
}
