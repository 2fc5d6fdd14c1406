package experiments

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/stats"
)

// TestGoldenFio runs p4 with fio, which lacks huge pages in one setting, and the summary of all
// settings.
func TestGoldenFio(t *testing.T) {
	results := make(map[string]any)
	var text string
	for _, e := range append(slices.Clone(p4), randDepths) {
		result, part, err := run(t, e, fakeLab{}, Params{Fio: true})
		if err != nil {
			t.Fatal(err)
		}
		results[e.Name] = result
		text += part
	}
	checkGolden(t, "p4-fio", text+Summary(results))
	if got := Summary(map[string]any{"scan-direct": results["scan-direct"]}); got != "" {
		t.Errorf("Summary of one setting is %q; want nothing", got)
	}
}

func TestGoldenFioMissing(t *testing.T) {
	missing := fakeLab{missing: map[string]string{"fio": "fio is not installed"}}
	_, text, err := run(t, scanDirect512k, missing, Params{Fio: true, Full: true})
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "fio-missing", text)
}

// TestFigureHolds checks each wording of the finding.
func TestFigureHolds(t *testing.T) {
	gain := &figure{rate: 300, base: 100}
	loss := &figure{rate: 50, base: 100}
	near := &figure{rate: 80, base: 100, near: true}
	for _, test := range []struct {
		name             string
		f                *figure
		low, ratio, high stats.Number
		want             string
	}{
		{"as large a gain", gain, 2.5, 3.1, 4, "it still holds"},
		{"a smaller gain", gain, 1.2, 1.5, 1.7, "it still holds, if less sharply"},
		{"perhaps a gain", gain, 0.9, 1.5, 1.7, "undecided"},
		{"a loss instead", gain, 0.5, 0.6, 0.9, "it does not hold"},
		{"as large a loss", loss, 0.3, 0.4, 0.5, "it still holds"},
		{"a smaller loss", loss, 0.7, 0.8, 0.9, "it still holds, if less sharply"},
		{"a gain instead", loss, 1.1, 1.2, 1.3, "it does not hold"},
		{"as near", near, 0.65, 0.7, 0.8, "it still holds"},
		{"perhaps near", near, 0.2, 0.5, 0.8, "undecided"},
		{"nearer", near, 1.1, 1.2, 1.3, "it still holds"},
		{"not near", near, 0.04, 0.05, 0.06, "it does not hold"},
	} {
		if got := test.f.holds(Comparison{Ratio: test.ratio, Low: test.low, High: test.high}); got != test.want {
			t.Errorf("%s: holds = %q; want %q", test.name, got, test.want)
		}
	}
}

func TestSizes(t *testing.T) {
	const gib = 1 << 30
	for _, test := range []struct{ memory, free, want int64 }{
		{4 * gib, 100 * gib, 10 * gib},
		{24 * gib, 100 * gib, 20 * gib},
		{24 * gib, 7*gib + 5, 7 * gib},
	} {
		if got := FullSize(test.memory, test.free); got != test.want {
			t.Errorf("FullSize(%d, %d) = %d; want %d", test.memory, test.free, got, test.want)
		}
	}
	for _, test := range []struct{ file, memory, want int64 }{
		{gib, 24 * gib, gib / 4},
		{20 * gib, 10 * gib, gib},
		{20 * gib, 0, 5 * gib},
		{8 << 20, 24 * gib, 2 << 20},
	} {
		if got := (Params{FileSize: test.file, Memory: test.memory}).smallSpan(); got != test.want {
			t.Errorf("of a file of %d and a memory of %d the small span is %d; want %d", test.file, test.memory, got, test.want)
		}
	}
}

// TestVerdict checks each verdict of a comparison.
func TestVerdict(t *testing.T) {
	for _, test := range []struct {
		ratios []stats.Number
		more   bool
		want   stats.Verdict
	}{
		{[]stats.Number{1.1, 1.2, 1.1, 1.2, 1.1, 1.2}, true, "ahead"},
		{[]stats.Number{1.1, 1.2, 1.1, 1.2, 1.1, 1.2}, false, "behind"},
		{[]stats.Number{0.8, 0.9, 0.8, 0.9, 0.8, 0.9}, true, "behind"},
		{[]stats.Number{0.8, 0.9, 0.8, 0.9, 0.8, 0.9}, false, "ahead"},
		{[]stats.Number{0.8, 0.9, 0.8, 0.9, 0.8, 1.1}, true, "unclear"},
		{[]stats.Number{0.98, 1.02, 0.99, 1.01, 1, 1}, false, "level"},
		{[]stats.Number{1.1, 1.2, 1.1, 1.2, 1.1}, true, ""},
		{[]stats.Number{stats.NaN, stats.NaN, stats.NaN, stats.NaN, stats.NaN, stats.NaN}, true, ""},
		{[]stats.Number{1.1, 1.2, stats.NaN, stats.NaN, stats.NaN, stats.NaN}, true, ""},
		{[]stats.Number{1.1, 1.2, stats.NaN, 1.1, 1.2, 1.1, 1.2}, true, "ahead"},
	} {
		if got := newComparison(test.ratios, test.more).Verdict; got != test.want {
			t.Errorf("the verdict on %v, more is good: %v, is %q; want %q", test.ratios, test.more, got, test.want)
		}
	}
}

// TestFindingOfFewRatios has a race of twelve rounds. Both sides have read in two of them.
func TestFindingOfFewRatios(t *testing.T) {
	side := func(name string, ops float64, rounds int) RaceRow {
		r := &duel.Result{Side: load.Side{Name: name}, Rounds: make([]load.Slice, 12)}
		for i := range rounds {
			r.Rounds[i] = load.Slice{Ops: ops, Elapsed: time.Second, CPU: time.Second}
		}
		return newRaceRow(load.Load{Kind: load.ScanDirect, Size: 4096}, r)
	}
	r := Race{Rows: []RaceRow{side("os.File", 100, 2), side("sluice", 120, 12)}, figure: &figure{rate: 2, base: 1}, subject: "sluice"}
	if got, want := r.finding(), "undecided (2 of the 6 rounds that a verdict needs): "; !strings.HasPrefix(got, want) {
		t.Errorf("finding = %q; want %q", got, want)
	}
	if v, _ := r.compare(check{"sluice", "os.File"}); v.Rate.Verdict != "" || v.CPU.Verdict != "" {
		t.Errorf("compare = %+v; want no verdict", v)
	}
}

// TestCompareSizes compares reads of 4 KiB with reads of 8 KiB that take twice as long. Bytes a
// second and processor time for a byte must be equal.
func TestCompareSizes(t *testing.T) {
	row := func(name string, size int) RaceRow {
		s := load.Slice{Ops: float64(1 << 20 / size), Elapsed: time.Second, CPU: time.Second}
		return newRaceRow(load.Load{Kind: load.ScanDirect, Size: size},
			&duel.Result{Side: load.Side{Name: name}, Rounds: []load.Slice{s, s}})
	}
	r := Race{Rows: []RaceRow{row("small", 4096), row("large", 8192)}}
	v, ok := r.compare(check{"small", "large"})
	if !ok || v.Rate.Ratio != 1 || v.CPU.Ratio != 1 {
		t.Errorf("compare = %+v, %v; want ratios of 1", v, ok)
	}
	if r.Rows[0].Rate != 1<<20 || r.Rows[1].CPU != 1e9 {
		t.Errorf("rate is %v bytes/s and CPU %v ns a MiB; want 1 MiB and 1 s", r.Rows[0].Rate, r.Rows[1].CPU)
	}
	if _, ok := r.compare(check{"small", "fio"}); ok {
		t.Error("there is a verdict on fio, which is not there")
	}
}
