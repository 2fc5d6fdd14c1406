package compare

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/results"
)

// run has one cell in which os.File performs 1000 operations in each round, and sluice the given
// numbers.
func run(size int, ops ...float64) *results.Run {
	l := load.Load{Kind: load.ReadDirect, Size: size, Goroutines: 8}
	files, sluice := &duel.Result{Side: load.OSFile}, &duel.Result{Side: load.Sluice("")}
	for _, n := range ops {
		files.Rounds = append(files.Rounds, load.Slice{Ops: 1000, Elapsed: time.Second})
		sluice.Rounds = append(sluice.Rounds, load.Slice{Ops: n, Elapsed: time.Second})
	}
	cell := experiments.Cell{Load: l, Name: l.String(), Sides: []*duel.Result{files, sluice}}
	return &results.Run{Results: []results.Named{{
		Experiment: experiments.Experiment{Name: "matrix"},
		Result:     &experiments.MatrixResult{Cells: []experiments.Cell{cell}},
	}}}
}

func TestVerdicts(t *testing.T) {
	base := run(4096, 100, 101, 102, 103, 104, 105, 106)
	for _, test := range []struct {
		b    *results.Run
		want Verdict
	}{
		{run(4096, 120, 121, 122, 123, 124, 125, 126), Better},
		{run(4096, 80, 81, 82, 83, 84, 85, 86), Worse},
		{run(4096, 90, 95, 101, 103, 105, 110, 115), Unclear},
		{run(4096, 102, 102, 103, 103, 103, 104, 104), Level},
		{run(4096, 120, 121, 122, 123, 124), Unclear},
	} {
		c, err := Runs(base, test.b)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.Lines[1]; got.Verdict != test.want {
			t.Errorf("%v to %v (%v to %v) is %q; want %q", got.A, got.B, got.Low, got.High, got.Verdict, test.want)
		}
		if got := c.Lines[0]; !got.few() && got.Verdict != Level {
			t.Errorf("os.File, which did not change, is %q; want %q", got.Verdict, Level)
		}
	}
}

// TestRoundsThatMeasuredNothing has slices that ended before their windows opened. They are no
// loss, and do not count for a verdict.
func TestRoundsThatMeasuredNothing(t *testing.T) {
	base, b := run(4096, 100, 100, 100, 100, 100, 100), run(4096, 120, 120, 100, 100, 100, 100)
	rounds := b.Results[0].Result.(*experiments.MatrixResult).Cells[0].Sides[1].Rounds
	for i := range rounds[2:] {
		rounds[2+i] = load.Slice{}
	}
	c, err := Runs(base, b)
	if err != nil {
		t.Fatal(err)
	}
	if l := c.Lines[1]; l.Rounds != 2 || l.Ratio != 1.2 || l.Verdict != Unclear {
		t.Errorf("the line is %+v; want a ratio of 1.2 in 2 rounds, unclear", l)
	}
}

func TestFailBelow(t *testing.T) {
	few, err := Runs(run(4096, 100, 100), run(4096, 80, 80))
	if err != nil {
		t.Fatal(err)
	}
	if err := few.FailBelow(0.75); err == nil {
		t.Error("of two rounds: FailBelow(0.75) = nil; want that they have no verdict")
	}
	if err := few.FailBelow(0); err != nil {
		t.Errorf("FailBelow(0) = %v; want nil", err)
	}
	c, err := Runs(run(4096, 100, 100, 100, 100, 100, 100), run(4096, 80, 80, 80, 80, 80, 80))
	if err != nil {
		t.Fatal(err)
	}
	if err := c.FailBelow(0.75); err != nil {
		t.Errorf("of a ratio of 0.8: FailBelow(0.75) = %v; want nil", err)
	}
	below, ok := errors.AsType[*BelowError](c.FailBelow(0.95))
	if !ok || len(below.Lines) != 1 { // os.File must not fail
		t.Fatalf("FailBelow(0.95) = %v; want a BelowError of one line", c.FailBelow(0.95))
	}
	if want := "compare: below 0.95: matrix: read-direct/4k/8, sluice 0.80 (0.80-0.80)"; below.Error() != want {
		t.Errorf("Error = %q; want %q", below, want)
	}
}

// TestFailBelowInterval has a median below the limit, and an interval that is not.
func TestFailBelowInterval(t *testing.T) {
	c, err := Runs(run(4096, 100, 100, 100, 100, 100, 100), run(4096, 80, 80, 80, 81, 120, 120, 120))
	if err != nil {
		t.Fatal(err)
	}
	if l := c.Lines[1]; l.Ratio >= 0.95 || l.High < 0.95 {
		t.Fatalf("the ratio is %v (%v to %v); want 0.95 in its interval, and above the median", l.Ratio, l.Low, l.High)
	}
	if err := c.FailBelow(0.95); err != nil {
		t.Errorf("FailBelow(0.95) = %v; want nil", err)
	}
}

func TestNothingInCommon(t *testing.T) {
	if c, err := Runs(run(4096, 1), run(8192, 1)); err == nil {
		t.Errorf("Runs = %v; want an error", c.Lines)
	}
}

func TestOnly(t *testing.T) {
	a, b := run(4096, 1), run(4096, 1)
	more := run(8192, 1).Results[0].Result.(*experiments.MatrixResult)
	cells := &a.Results[0].Result.(*experiments.MatrixResult).Cells
	*cells = append(*cells, more.Cells...)
	side := b.Results[0].Result.(*experiments.MatrixResult).Cells[0].Sides[1]
	side.Side.Name = "sluice/pool"
	c, err := Runs(a, b)
	if err != nil {
		t.Fatal(err)
	}
	onlyA := []string{"matrix: read-direct/4k/8, sluice", "matrix: read-direct/8k/8"}
	onlyB := []string{"matrix: read-direct/4k/8, sluice/pool"}
	if !slices.Equal(c.OnlyA, onlyA) || !slices.Equal(c.OnlyB, onlyB) {
		t.Errorf("only in A: %q, in B: %q; want %q, %q", c.OnlyA, c.OnlyB, onlyA, onlyB)
	}
}

// TestConditions checks that the text mentions different kernels of two runs.
func TestConditions(t *testing.T) {
	a, b := run(4096, 1), run(4096, 1)
	a.Machine.Kernel, b.Machine.Kernel = "6.1", "6.18"
	c, err := Runs(a, b)
	if err != nil {
		t.Fatal(err)
	}
	if want := "not the same: kernel (6.1, then 6.18)\n"; !strings.Contains(c.Text(), want) {
		t.Errorf("text is\n%s\nwant %q in it", c.Text(), want)
	}
}
