package experiments

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/report"
)

// treesLab is a lab with fakeTrees.
type treesLab struct {
	fakeLab
	trees *fakeTrees
}

func (l treesLab) Trees(context.Context, string, tree.Shape, func(string, float64)) (Trees, error) {
	return l.trees, nil
}

var smallShape = tree.Shape{Levels: 2, Width: 5, FileSize: 4096}

// copyOnce runs cp-small on a fake and returns it.
func copyOnce(t *testing.T, missing map[string]string, p Params) (*fakeTrees, *CopyResult) {
	t.Helper()
	f := newFakeTrees(smallShape, missing)
	result, _, err := run(t, cpSmall, treesLab{trees: f}, p)
	if err != nil {
		t.Fatal(err)
	}
	return f, result.(*CopyResult)
}

// TestOrder checks that each program copies once a round, in an order that the seed determines.
func TestOrder(t *testing.T) {
	p := Params{Modes: []string{"cold"}, Rounds: 4, Seed: 7}
	f, _ := copyOnce(t, nil, p)
	const programs = 5
	if len(f.order) != 4*programs {
		t.Fatalf("%d copies; want 4 rounds of %d", len(f.order), programs)
	}
	orders := map[string]bool{}
	for round := range slices.Chunk(f.order, programs) {
		orders[strings.Join(round, ", ")] = true
		sorted := slices.Sorted(slices.Values(round))
		if len(slices.Compact(sorted)) != programs {
			t.Errorf("a round is %q; want each program once", round)
		}
	}
	if len(orders) < 2 {
		t.Errorf("all rounds have the order %q", f.order[:programs])
	}
	if again, _ := copyOnce(t, nil, p); !slices.Equal(again.order, f.order) {
		t.Error("the same seed gives another order")
	}
	p.Seed++
	if other, _ := copyOnce(t, nil, p); slices.Equal(other.order, f.order) {
		t.Error("another seed gives the same order")
	}
}

// TestFailedProgram checks that a program is not run again after it failed, and that the other
// programs are.
func TestFailedProgram(t *testing.T) {
	f, r := copyOnce(t, map[string]string{"xcp": "the copy has 3 files, not 5"}, Params{Modes: []string{"regular"}, Rounds: 3})
	count := map[string]int{}
	for _, name := range f.order {
		count[name]++
	}
	if count["xcp"] != 1 || count[gnuCP] != 4 { // gnuCP copied once more, to warm up
		t.Errorf("xcp has copied %d times, cp %d; want 1, 4", count["xcp"], count[gnuCP])
	}
	for _, row := range r.Modes[0].Rows {
		if (row.Unsupported != "") != (row.Side.Name == "xcp") || len(row.Rounds) == 3 == (row.Side.Name == "xcp") {
			t.Errorf("%s has %d rounds, unsupported %q", row.Side.Name, len(row.Rounds), row.Unsupported)
		}
	}
}

func TestChosenPrograms(t *testing.T) {
	_, r := copyOnce(t, nil, Params{Modes: []string{"regular"}, Programs: []string{"sluice", "rsync"}})
	var names []string
	for _, row := range r.Modes[0].Rows {
		names = append(names, row.Side.Name)
	}
	if want := []string{gnuCP, sluiceCP, "rsync -a"}; !slices.Equal(names, want) {
		t.Errorf("programs are %q; want %q", names, want)
	}
	if _, text, err := run(t, cpLarge, fakeLab{}, Params{Modes: []string{"every-fsync"}}); err != nil || text != "" {
		t.Errorf("without a mode it prints %q, %v; want nothing", text, err)
	}
}

// TestReflink checks that two more programs take part where files can share data.
func TestReflink(t *testing.T) {
	f := newFakeTrees(smallShape, nil)
	f.about.Kind = "xfs"
	if _, _, err := run(t, cpSmall, treesLab{trees: f}, Params{Modes: []string{"regular"}, Rounds: 1}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"cp --reflink", "sluice --reflink"} {
		if !slices.Contains(f.order, name) {
			t.Errorf("%q has not copied", name)
		}
	}
}

// TestCopyingClosesThePlace checks that the place is closed after a copy fails, panics or is
// interrupted.
func TestCopyingClosesThePlace(t *testing.T) {
	broken, enough := errors.New("the disk has left"), errors.New("enough")
	for name, fail := range map[string]func(stop func()) error{
		"failure":   func(func()) error { return broken },
		"panic":     func(func()) error { panic(broken) },
		"interrupt": func(stop func()) error { stop(); return enough },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancelCause(t.Context())
			f := newFakeTrees(smallShape, nil)
			f.fails = func() error {
				if f.copies > 12 { // the first mode is done after 2 x 5 copies
					return fail(func() { cancel(enough) })
				}
				return nil
			}
			var result any
			var err error
			func() {
				defer func() {
					if p := recover(); p != nil {
						err = p.(error)
					}
				}()
				var out bytes.Buffer
				env := &Env{Params: Params{Rounds: 1}, Lab: treesLab{trees: f}, Screen: report.NewScreen(&out, nil, 0)}
				result, err = cpSmall.Run(ctx, env)
			}()
			if !errors.Is(err, broken) && !errors.Is(err, enough) {
				t.Errorf("Run = %v; want what went wrong", err)
			}
			if !f.closed {
				t.Error("the place is not closed")
			}
			if r, ok := result.(*CopyResult); ok && len(r.Modes) != 1 {
				t.Errorf("%d modes in the result; want the one before the failure", len(r.Modes))
			}
		})
	}
}

// TestCopyHolds checks each wording of the finding.
func TestCopyHolds(t *testing.T) {
	for _, test := range []struct {
		wins      bool
		low, high stats.Number
		want      string
	}{
		{true, 1.2, 1.4, "it still holds"},
		{true, 0.9, 1.4, "undecided"},
		{true, 0.7, 0.9, "it does not hold"},
		{false, 0.7, 0.9, "it still holds"},
		{false, 0.98, 1.02, "it still holds, they are level"},
		{false, 0.9, 1.1, "undecided"},
		{false, 0.6, 2.4, "undecided"},
		{false, 1.2, 1.4, "it does not hold"},
	} {
		f := &copyFigure{wins: test.wins}
		c := Comparison{Ratio: (test.low + test.high) / 2, Low: test.low, High: test.high}
		c.Verdict = stats.Judge(c.Ratio, c.Low, c.High, RoundsForVerdict)
		if got := f.holds(c); got != test.want {
			t.Errorf("holds(%v to %v), published to win: %v, is %q; want %q", test.low, test.high, test.wins, got, test.want)
		}
	}
}

func TestSweepVerdict(t *testing.T) {
	row := func(low, high stats.Number) CopyRow { return CopyRow{Speed: Comparison{Low: low, High: high}} }
	for _, test := range []struct {
		small, best CopyRow
		want        string
	}{
		{row(0.7, 0.8), row(1.5, 1.6), "it still holds"},
		{row(0.9, 1.1), row(1.5, 1.6), "it still holds"},
		{row(1.1, 1.2), row(1.5, 1.6), "it holds in part: a small block wins as well, a larger one by more"},
		{row(1.1, 1.6), row(1.5, 1.6), "it does not hold, the small block wins as well"},
		{row(0.7, 0.8), row(0.8, 0.9), "it does not hold, no block wins"},
		{row(0.7, 0.8), row(0.9, 1.1), "undecided"},
	} {
		if got := sweepVerdict(test.small, test.best); got != test.want {
			t.Errorf("sweepVerdict(%v, %v) = %q; want %q", test.small.Speed, test.best.Speed, got, test.want)
		}
	}
}

// TestOutlierIsWarnedOf checks the warning about a round that took ten times as long as the rest.
func TestOutlierIsWarnedOf(t *testing.T) {
	row := CopyRow{Result: &duel.Result{Side: load.Side{Name: gnuCP}}}
	for _, ms := range []time.Duration{100, 101, 99, 1000, 102} {
		row.Rounds = append(row.Rounds, load.Slice{Ops: 1, Elapsed: ms * time.Millisecond})
	}
	row.sumUp(row)
	if row.Min != 0.099 || row.Max != 1 || !slices.Equal(row.Outliers, []int{4}) {
		t.Errorf("row is %+v; want 0.099 to 1 s and an outlier in round 4", row)
	}
	m := CopyMode{Rows: []CopyRow{row}}
	if want := "outlier: cp -r took 1.00 s in round 4, 0.101 s is its median"; !strings.Contains(m.warnings(), want) {
		t.Errorf("warnings are %q; want %q", m.warnings(), want)
	}
}

// checkingTrees records which copies are compared with the source.
type checkingTrees struct {
	*fakeTrees
	checked []string
}

func (c *checkingTrees) Copy(ctx context.Context, p copies.Contender, m copies.Mode, check bool) (program.Usage, error) {
	if check {
		c.checked = append(c.checked, m.Name+" "+p.Name)
	}
	return c.fakeTrees.Copy(ctx, p, m, check)
}

type checkingLab struct {
	fakeLab
	trees *checkingTrees
}

func (l checkingLab) Trees(context.Context, string, tree.Shape, func(string, float64)) (Trees, error) {
	return l.trees, nil
}

// TestCheckedOnce checks that only the first copy of each program and mode is compared with the
// source.
func TestCheckedOnce(t *testing.T) {
	c := &checkingTrees{fakeTrees: newFakeTrees(smallShape, nil)}
	if _, _, err := run(t, cpSmall, checkingLab{trees: c}, Params{Rounds: 2}); err != nil {
		t.Fatal(err)
	}
	all := len(c.checked)
	slices.Sort(c.checked)
	if n := len(slices.Compact(c.checked)); all != 15 || n != all {
		t.Errorf("%d copies are compared, %d different ones; want 3 modes of 5 programs", all, n)
	}
}

// TestFewRounds checks that each kind of finding says when it has too few rounds.
func TestFewRounds(t *testing.T) {
	const few = "undecided (3 of the 6 rounds that a verdict needs): "
	for _, e := range []Experiment{cpSmall, cpBlock} {
		for rounds, want := range map[int]bool{3: true, RoundsForVerdict: false} {
			p := Params{Modes: []string{"cold"}, Rounds: rounds, Seed: 7}
			result, _, err := run(t, e, treesLab{trees: newFakeTrees(smallShape, nil)}, p)
			if err != nil {
				t.Fatal(err)
			}
			finding := result.(*CopyResult).Modes[0].Finding
			if got := strings.Contains(finding, few); got != want {
				t.Errorf("%s with %d rounds found %q; want %q in it: %t", e.Name, rounds, finding, few, want)
			}
		}
	}
}
