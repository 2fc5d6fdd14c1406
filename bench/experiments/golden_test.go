package experiments

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/sluiceio/sluice/bench/internal/copies"
	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/fio"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/program"
	"github.com/sluiceio/sluice/bench/internal/stats"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/report"
	"github.com/sluiceio/sluice/internal/test/golden"
)

// fakeLab invents figures that depend only on the load and the side, so that golden files can hold
// them.
type fakeLab struct {
	missing map[string]string // why a side is unsupported, by the side's name
	fail    string            // the load that fails
}

func (f fakeLab) Compare(_ context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	var results []*duel.Result
	for _, e := range entries {
		l, side := e.Load, e.Side
		if l.String() == f.fail {
			return nil, errors.New("the disk has left")
		}
		results = append(results, &duel.Result{Side: side, Explain: explain(e), Threads: 4 + min(l.Goroutines, 16), Unsupported: f.missing[side.Name]})
	}
	for n := 0; p.Rounds == 0 || n < p.Rounds; n++ {
		if n > 0 && p.Enough != nil && p.Enough(results, time.Duration(n)*fakeRound) {
			break
		}
		for i, e := range entries {
			if r := results[i]; r.Unsupported == "" {
				r.Rounds = append(r.Rounds, fakeSlice(e.Load, e.Side, n))
			}
		}
	}
	return results, nil
}

// fakeRound is how long a round of fakeLab takes.
const fakeRound = 200 * time.Millisecond

func explain(e duel.Entry) string {
	switch {
	case e.Side.Way == load.ByOS || e.Side.Way == load.ByGoBuild || e.Side.Way == load.ByPaper || e.Side.Way == load.ByMmap || e.Side.Way == load.ByPebble || e.Side.Way == load.ByPebbleBuild:
		return ""
	case e.Side.Way != load.ByFio:
		return fakeDriver
	case e.Load.Size > 4<<10:
		return "fio-3.33 rw=fake; its memory is on " + fio.PlainPages + ": none are free"
	}
	return "fio-3.33 rw=fake"
}

const fakeDriver = "driver: fake (the best there is)\nmore of it\n"

func fakeSlice(l load.Load, side load.Side, round int) load.Slice {
	mean := time.Duration(50_000 + l.Size/2)
	switch side.Way {
	case load.BySluice:
		mean = mean * 4 / 5
	case load.BySluiceBuild, load.ByBuffer, load.ByMany, load.ByReader, load.ByNext:
		mean = mean * 3 / 4
	case load.ByCache:
		mean /= 4
	case load.ByMapped, load.ByPebbleBuffer, load.ByPebbleHybrid:
		mean /= 2
	case load.ByPebbleDirect:
		mean = mean * 2 / 5
	case load.ByFio:
		mean = mean * 7 / 10
	case load.ByPaper:
		mean += time.Duration(50_000_000 / l.Size * 2)
	}
	flood := 0.0
	if l.Flood > 0 {
		flood = 5e8
		if mean *= 10; side.Class != "" {
			mean /= 5
		}
	}
	mean += mean * time.Duration(round%5) / 100
	elapsed := 100 * time.Millisecond
	ops := float64(elapsed/mean) * float64(l.Goroutines)
	compaction := float64(l.Pace)
	if side.Way == load.ByPebbleHybrid {
		compaction /= 2
	}
	var late time.Duration
	if l.Sleeper {
		late = mean
	}
	return load.Slice{
		LateP50: late, LateMax: 20 * late,
		Syscalls: fakeSyscalls(l, side, mean),
		Ops:      ops, Elapsed: elapsed, CPU: time.Duration(ops) * mean / 10,
		Mean: mean, P50: mean, P99: 3 * mean, P999: 6 * mean, Max: 9 * mean, Flood: flood, Compaction: compaction,
		Resident: 3 << 20, Buffers: int64(l.Size * l.Goroutines),
	}
}

// fakeSyscalls returns system calls for a load. The paper's io_submit blocks, except with O_DIRECT.
// sluice makes a cached call, then a plain call.
func fakeSyscalls(l load.Load, side load.Side, mean time.Duration) *load.Syscalls {
	if !side.Timed {
		return nil
	}
	s := &load.Syscalls{Ops: 100}
	add := func(name string, count int64, each time.Duration) {
		s.Calls = append(s.Calls, load.Syscall{Name: name, Count: count, Time: time.Duration(count) * each})
	}
	switch {
	case side.Way != load.ByPaper:
		add("preadv2", 100, 700)
		add("pread64", 90, mean)
		add("io_submit", 2, 1300)
	case l.Kind.Direct():
		add("io_setup", 2, 14_000)
		add("io_submit", 100, 5000)
		add("io_getevents", 100, mean)
		add("io_destroy", 2, 9_000_000)
	default:
		add("io_setup", 2, 14_000)
		add("io_submit", 100, time.Duration(l.Size))
		add("io_getevents", 100, 1100)
		add("io_destroy", 2, 9_000_000)
	}
	return s
}

func (f fakeLab) Programs(context.Context, string) (func() error, error) {
	return func() error { return nil }, nil
}

func (f fakeLab) Starters(context.Context) (func() error, error) {
	return func() error { return nil }, nil
}

func (f fakeLab) Tmpfs(context.Context, int64, func(float64)) (Tmpfs, error) {
	return fakeTmpfs{f}, nil
}

// fakeTmpfs invents figures as its comparer does.
type fakeTmpfs struct{ comparer }

func (fakeTmpfs) Close() error { return nil }

func (f fakeLab) Database(context.Context, load.Load, int64, string, func(string, float64)) (Database, error) {
	return fakeDatabase{f}, nil
}

// fakeDatabase invents figures as its comparer does.
type fakeDatabase struct{ comparer }

func (fakeDatabase) Close() error { return nil }

func (f fakeLab) Disk() (Disk, error) { return newFakeDisk(f.missing), nil }

func run(t *testing.T, e Experiment, lab Lab, p Params) (any, string, error) {
	t.Helper()
	var out bytes.Buffer
	p.FileSize, p.Memory, p.Procs, p.CPUs = 1<<30, 16<<30, 2, 2
	result, err := e.Run(t.Context(), &Env{Params: p, Lab: lab, Screen: report.NewScreen(&out, nil, 0)})
	return result, out.String(), err
}

func TestGolden(t *testing.T) {
	for _, e := range All {
		t.Run(e.Name, func(t *testing.T) {
			result, text, err := run(t, e, fakeLab{}, Params{})
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, e.Name, text)
			if _, err := json.Marshal(result); err != nil {
				t.Errorf("result has no JSON: %v", err)
			}
		})
	}
}

// TestGoldenMissing has a container without io_uring, and asks sluice to use io_uring.
func TestGoldenMissing(t *testing.T) {
	missing := fakeLab{missing: map[string]string{
		"sluice/uring":      "io_uring_setup: operation not permitted",
		"sluice Next":       "no O_DIRECT on this file system",
		"os.File, buffered": "the page cache cannot be dropped on this system",
		"sluice cp":         "exit status 1: no space left on device",
		"buffered":          "no driver: io_uring_setup: operation not permitted",
		"xcp":               "the copy has 3 files, not 5",
		"fio":               "fio is not installed",
		"sluice":            "no driver: io_uring_setup: operation not permitted; io_setup: function not implemented",
	}}
	for _, e := range All {
		t.Run(e.Name, func(t *testing.T) {
			result, text, err := run(t, e, missing, Params{})
			if err != nil {
				t.Fatal(err)
			}
			checkGolden(t, e.Name+"-missing", text)
			if _, err := json.Marshal(result); err != nil {
				t.Errorf("result has no JSON: %v", err)
			}
		})
	}
}

// TestGoldenProcs has cells with more processors than the machine, and cells with as many.
func TestGoldenProcs(t *testing.T) {
	_, text, err := run(t, matrix, fakeLab{}, Params{CellProcs: []int{1, 2, 4}, Cells: []Pattern{mustParse(t, "read-direct+work/4k/256"), mustParse(t, "serve/1m/4")}})
	if err != nil {
		t.Fatal(err)
	}
	checkGolden(t, "matrix-procs", text)
}

func checkGolden(t *testing.T, name, text string) {
	t.Helper()
	for line := range strings.Lines(text) {
		if n := utf8.RuneCountInString(strings.TrimSuffix(line, "\n")); n > 80 {
			t.Errorf("line of %d columns: %q", n, line)
		}
	}
	golden.Compare(t, filepath.Join("testdata", name+".golden"), []byte(text))
}

func TestSteps(t *testing.T) {
	for _, e := range All {
		for _, p := range []Params{{}, {Full: true}} {
			if e.Name == fioExpectName {
				p.Rounds = 1 // countingLab counts each round of fio as a step
			}
			lab := &countingLab{}
			if _, _, err := run(t, e, lab, p); err != nil {
				t.Fatal(err)
			}
			if lab.n != e.Steps(p) {
				t.Errorf("%s takes %d steps; it promises %d", e.Name, lab.n, e.Steps(p))
			}
		}
	}
}

type countingLab struct {
	fakeLab
	n int
}

func (c *countingLab) Compare(ctx context.Context, entries []duel.Entry, p duel.Plan) ([]*duel.Result, error) {
	c.n++
	return c.fakeLab.Compare(ctx, entries, p)
}

func (c *countingLab) Trees(ctx context.Context, kind string, shape tree.Shape, progress func(string, float64)) (Trees, error) {
	c.n++
	place, err := c.fakeLab.Trees(ctx, kind, shape, progress)
	return &countingTrees{Trees: place, n: &c.n}, err
}

// countingTrees counts modes.
type countingTrees struct {
	Trees
	n    *int
	mode string
}

func (c *countingTrees) Copy(ctx context.Context, p copies.Contender, m copies.Mode, check bool) (program.Usage, error) {
	if m.Name != c.mode {
		*c.n++
		c.mode = m.Name
	}
	return c.Trees.Copy(ctx, p, m, check)
}

func (c *countingLab) Mixed(ctx context.Context, job fio.Mixed) (reads, writes load.Slice, err error) {
	c.n++
	return c.fakeLab.Mixed(ctx, job)
}

func (c *countingLab) Programs(ctx context.Context, driver string) (func() error, error) {
	c.n++
	return c.fakeLab.Programs(ctx, driver)
}

func (c *countingLab) Database(context.Context, load.Load, int64, string, func(string, float64)) (Database, error) {
	c.n++
	return fakeDatabase{c}, nil
}

func (c *countingLab) Tmpfs(context.Context, int64, func(float64)) (Tmpfs, error) {
	return fakeTmpfs{c}, nil
}

func (c *countingLab) Disk() (Disk, error) {
	c.n++
	return c.fakeLab.Disk()
}

func (c *countingLab) Slow(ctx context.Context, size int64, iops int, progress func(float64)) (SlowDisk, error) {
	c.n++
	d, err := c.fakeLab.Slow(ctx, size, iops, progress)
	return countingDisk{d, &c.n}, err
}

// countingDisk counts crowds.
type countingDisk struct {
	SlowDisk
	n *int
}

func (c countingDisk) Crowd(ctx context.Context, side load.Side, goroutines int, direct bool) (crowd.Outcome, error) {
	*c.n++
	return c.SlowDisk.Crowd(ctx, side, goroutines, direct)
}

func TestFailBelow(t *testing.T) {
	pattern, err := ParsePattern("read-cached/4k/1,2", allCells())
	if err != nil {
		t.Fatal(err)
	}
	p := Params{Cells: []Pattern{pattern}, FailBelow: 1.2}
	if _, _, err := run(t, matrix, fakeLab{}, p); err != nil {
		t.Errorf("with a ratio of 1.25: %v; want nil", err)
	}
	p.FailBelow = 1.3
	_, _, err = run(t, matrix, fakeLab{}, p)
	below, ok := errors.AsType[*BelowError](err)
	if !ok || len(below.Cells) != 2 {
		t.Fatalf("with a ratio of 1.25: %v; want a BelowError of 2 cells", err)
	}
	if want := "matrix: below 1.3: read-cached/4k/1 1.25 (1.25-1.25), read-cached/4k/2 1.25 (1.25-1.25)"; err.Error() != want {
		t.Errorf("Error = %q; want %q", err, want)
	}
	_, _, err = run(t, matrix, fakeLab{missing: map[string]string{"sluice": "gone"}}, p)
	if err == nil || !strings.Contains(err.Error(), "no cell could be measured") {
		t.Errorf("without a cell: %v; want an error", err)
	}
}

// TestErrorKeepsResults checks that an error in the second cell keeps the first cell's result.
func TestErrorKeepsResults(t *testing.T) {
	result, _, err := run(t, matrix, fakeLab{fail: quickCells[1].String()}, Params{})
	if err == nil {
		t.Fatal("Run = nil; want the lab's error")
	}
	if n := len(result.(*MatrixResult).Cells); n != 1 {
		t.Errorf("%d cells in the result; want the 1 before the failure", n)
	}
}

func TestFind(t *testing.T) {
	if found, err := Find("fig6"); err != nil || len(found) != 1 || found[0].Name != "fig6" {
		t.Errorf("Find(fig6) = %d experiments, %v", len(found), err)
	}
	if found, err := Find("p4"); err != nil || len(found) != 9 {
		t.Errorf("Find(p4) = %d experiments, %v; want its nine settings", len(found), err)
	}
	if _, err := Find("fig66"); err == nil || !strings.Contains(err.Error(), "matrix, fig4-read") {
		t.Errorf("Find(fig66) = %v; want the names that there are", err)
	}
}

// TestFig4Verdict checks each wording of the verdict.
func TestFig4Verdict(t *testing.T) {
	rows := func(small, large stats.Number) []CallRow {
		var rows []CallRow
		for i, ratio := range []stats.Number{small, large} {
			paper := Call{Ratio: ratio, Low: ratio - 0.02, High: ratio + 0.02, Result: &duel.Result{Side: load.PaperAIO}}
			rows = append(rows, CallRow{Load: load.Load{Size: 1 + i}, Calls: []Call{paper}})
		}
		return rows
	}
	for _, test := range []struct {
		small, large stats.Number
		want         string
	}{
		{2.1, 1.02, "it still holds: AIO takes 2.10 times os.File's time at 1 bytes, 1.02 at 2; "},
		{1.3, 0.99, "it still holds, if less sharply: "},
		{1.06, 1.02, "it does not hold (small requests are no slower): "},
		{2.1, 1.5, "it does not hold (the two do not meet): "},
		{2.1, 0.9, "it does not hold (at 2 bytes it is a gain): "},
		{stats.NaN, 1, "undecided without Linux AIO; "},
	} {
		if got := fig4Verdict(rows(test.small, test.large)); !strings.HasPrefix(got, test.want) {
			t.Errorf("verdict on %v, %v is %q; want %q", test.small, test.large, got, test.want)
		}
	}
}
