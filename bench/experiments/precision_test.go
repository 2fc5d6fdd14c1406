package experiments

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/report"
)

// TestPrecision applies the rule to rounds that are all alike, and to rounds that differ much.
func TestPrecision(t *testing.T) {
	rule := precision{limit: 10 * time.Second}
	alike := func(n int) (v []stats.Number) {
		for range n {
			v = append(v, 1.5)
		}
		return v
	}
	different := func(n int) (v []stats.Number) {
		for i := range n {
			v = append(v, 1+stats.Number(i%10)/10)
		}
		return v
	}
	missing := func(n int) (v []stats.Number) {
		for range n {
			v = append(v, stats.NaN)
		}
		return v
	}
	for _, test := range []struct {
		name   string
		ratios []stats.Number
		spent  time.Duration
		want   bool
	}{
		{"alike, too few", alike(11), time.Second, false},
		{"alike", alike(12), time.Second, true},
		{"alike, not asked", alike(13), time.Second, false},
		{"alike, asked again", alike(16), time.Second, true},
		{"different", different(12), time.Second, false},
		{"different, many", different(400), time.Second, false},
		{"different, time is up", different(12), 10 * time.Second, true},
		{"different, not quite", different(12), 10*time.Second - 1, false},
		{"time is up after few", different(5), time.Hour, false},
		{"time is up after enough for a verdict", different(6), time.Hour, true},
		{"nothing", nil, time.Hour, false},
		{"alike, too few beside missing ones", append(missing(10), alike(2)...), time.Second, false},
		{"alike beside missing ones", append(missing(10), alike(12)...), time.Second, true},
		{"time is up after few beside missing ones", append(missing(6), alike(5)...), time.Hour, false},
		{"time is up, nearly all are missing", append(missing(7), alike(5)...), time.Hour, true},
		{"time is up, all are missing", missing(12), time.Hour, true},
	} {
		if got := rule.enough(test.ratios, test.spent); got != test.want {
			t.Errorf("%s: enough(%d rounds, %s) = %t; want %t", test.name, len(test.ratios), test.spent, got, test.want)
		}
	}
}

// TestPrecisionHolds applies the rule to cells whose ratio is known. About 95 % of the intervals
// must hold it, as with a fixed number of rounds.
func TestPrecisionHolds(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, deviation := range []float64{0.01, 0.03, 0.05, 0.08} {
		const trials = 2000
		held, sum := 0, 0
		for range trials {
			var v []stats.Number
			for len(v) == 0 || !(precision{limit: 120}).enough(v, time.Duration(len(v))) {
				v = append(v, stats.Number(math.Exp(random.NormFloat64()*deviation)))
			}
			sum += len(v)
			if low, high := stats.Interval(v); low <= 1 && high >= 1 {
				held++
			}
		}
		part := float64(held) / trials
		t.Logf("rounds that differ by %.0f %%: %.1f rounds, %.3f", 100*deviation, float64(sum)/trials, part)
		if part < 0.93 {
			t.Errorf("where rounds differ by %.0f %%, the interval holds the ratio in %.3f of all cells; want about 0.95", 100*deviation, part)
		}
	}
}

// TestCellPlan checks that a cell ends when its interval is narrow, or when its time is up. It also
// checks that --rounds sets a number of rounds instead.
func TestCellPlan(t *testing.T) {
	p := Params{Cells: []Pattern{mustParse(t, "read-cached/4k/1")}}
	for _, test := range []struct {
		name   string
		lab    Lab
		params Params
		want   int
	}{
		{"narrow", fakeLab{}, p, leastRounds},
		{"wide", wavering{}, p, int(cellTime / fakeRound)},
		{"wide, time given", wavering{}, Params{Cells: p.Cells, PerCell: 2 * time.Second}, 10},
		{"wide, brief", wavering{}, Params{Cells: p.Cells, Brief: true}, int(briefTime/fakeRound) + 1},
		{"rounds given", wavering{}, Params{Cells: p.Cells, Rounds: 3}, 3},
		{"unsupported", fakeLab{missing: map[string]string{"sluice": "gone"}}, p, 1},
	} {
		result, _, err := run(t, matrix, test.lab, test.params)
		if err != nil {
			t.Fatal(err)
		}
		if got := rounds(result.(*MatrixResult).Cells[0].Sides); got != test.want {
			t.Errorf("%s: %d rounds; want %d", test.name, got, test.want)
		}
	}
}

// TestCellProgress checks the progress line of a cell.
func TestCellProgress(t *testing.T) {
	var out, progress bytes.Buffer
	p := Params{Cells: []Pattern{mustParse(t, "read-cached/4k/1")}}
	env := &Env{Params: p, Lab: fakeLab{}, Screen: report.NewScreen(&out, &progress, 80)}
	if _, err := matrix.Run(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	for n, want := range map[int]bool{5: false, 6: true, 12: true, 13: false} {
		text := fmt.Sprintf("matrix read-cached/4k/1: %d rounds, 1.25 ±0 %%", n)
		if got := strings.Contains(progress.String(), text); got != want {
			t.Errorf("%q is shown: %t; want %t", text, got, want)
		}
	}
}

func mustParse(t *testing.T, text string) Pattern {
	t.Helper()
	p, err := ParsePattern(text, allCells())
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// wavering is a fakeLab whose second side is sometimes twice as fast.
type wavering struct{ fakeLab }

func (w wavering) Compare(ctx context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	if enough := p.Enough; enough != nil {
		p.Enough = func(results []*duel.Result, spent time.Duration) bool {
			last := len(results[1].Rounds) - 1
			results[1].Rounds[last].Ops *= float64(1 + last%2)
			return enough(results, spent)
		}
	}
	return w.fakeLab.Compare(ctx, entries, p)
}

func TestDurationText(t *testing.T) {
	for d, want := range map[time.Duration]string{
		40 * time.Second: "40s", 5 * time.Minute: "5m", 10*time.Minute + 30*time.Second: "10m30s", time.Hour: "1h", 90 * time.Minute: "1h30m",
	} {
		if got := durationText(d); got != want {
			t.Errorf("durationText = %q; want %q", got, want)
		}
	}
}

// TestPlanText checks that the line above a table says how long its cells are measured, busy cells
// included.
func TestPlanText(t *testing.T) {
	usual, busy := load.Load{Kind: load.ReadCold}, load.Load{Kind: load.ReadColdBusy}
	for _, test := range []struct {
		params Params
		cells  []load.Load
		want   string
	}{
		{Params{}, []load.Load{usual, usual}, "rounds of 50ms, each of new processes, until the 95 % interval is within ±3 %, at most 8s a cell (16s in all)"},
		{Params{}, []load.Load{busy}, "rounds of 500ms, each of new processes, until the 95 % interval is within ±3 %, at most 24s a cell (24s in all)"},
		{Params{}, []load.Load{busy, usual}, "rounds of 50ms, each of new processes, until the 95 % interval is within ±3 %, at most 8s a cell (32s in all); " +
			"beside goroutines that compute rounds of 500ms, at most 24s a cell"},
		{Params{Rounds: 6}, []load.Load{usual, busy}, "6 rounds of 50ms, each of new processes; beside goroutines that compute rounds of 500ms"},
		{Params{Rounds: 6, Time: time.Second}, []load.Load{usual, busy}, "6 rounds of 1s, each of new processes"},
	} {
		if got := test.params.planText(test.cells); got != test.want {
			t.Errorf("planText = %q; want %q", got, test.want)
		}
	}
}
