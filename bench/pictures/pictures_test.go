package pictures

import (
	"bytes"
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/internal/chart"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/bench/results"
	"github.com/sluiceio/sluice/internal/test/golden"
)

func testRun(t *testing.T) *results.Run {
	t.Helper()
	run, err := results.Read("testdata/run.json")
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// drawnOnce is the report of written: drawing all figures takes a while under the race detector.
var drawnOnce struct {
	once  sync.Once
	files map[string][]byte // by their names
}

// written returns the report on testdata/run.json.
func written(t *testing.T) map[string][]byte {
	t.Helper()
	drawnOnce.once.Do(func() { drawnOnce.files = write(t) })
	return drawnOnce.files
}

func write(t *testing.T) map[string][]byte {
	t.Helper()
	dir := t.TempDir()
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Write(testRun(t)); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	files := make(map[string][]byte)
	for _, e := range entries {
		if files[e.Name()], err = os.ReadFile(filepath.Join(dir, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return files
}

func TestPage(t *testing.T) {
	page := written(t)[index]
	golden.Compare(t, filepath.Join("testdata", "index.golden"), withoutPictures(page))
	if bytes.Contains(page, []byte("<64>")) {
		t.Error("text of the machine is markup in the page")
	}
}

// withoutPictures returns the page without its pictures, style and script. They have their own
// tests, and change more often than the text.
func withoutPictures(page []byte) []byte {
	page = regexp.MustCompile(`(?s)(<(div class="panels|style|script)[^>]*>).*?(</(div|style|script)>)`).ReplaceAll(page, []byte("$1…$3"))
	return regexp.MustCompile(`(?s)<svg class="chart".*?</svg>`).ReplaceAll(page, nil)
}

// TestFiles checks the files that every figure must have.
func TestFiles(t *testing.T) {
	files := written(t)
	figures := []string{
		"matrix", "fig4-read", "fig6", "scan-direct", "scan-direct-ra", "scan-direct-512k",
		"rand-direct-small", "rand-depth", "cache", "p4", "cp-small", "cp-block", "fio-expect",
	}
	for _, name := range figures {
		if svg := files[name+".svg"]; len(svg) == 0 || bytes.Contains(svg, []byte("NaN")) || bytes.Contains(svg, []byte("Inf")) {
			t.Errorf("%s.svg is missing, or has a figure that is none", name)
		}
		if !bytes.Contains(files[index], []byte(`"`+name+`.svg"`)) {
			t.Errorf("the page does not show %s", name)
		}
		if len(files[name+".json"]) == 0 {
			t.Errorf("%s.json is missing", name)
		}
	}
	several := []string{ // pictures of one experiment, without the first
		"fig5-buffered-2", "fig5-direct-2", "aio-latency", "aio-latency-none", "aio-latency-mq-deadline",
	}
	for _, name := range several {
		if len(files[name+".svg"]) == 0 || !bytes.Contains(files[index], []byte(`"`+name+`.svg"`)) {
			t.Errorf("the picture %s is missing", name)
		}
	}
	// fig5 and aio-latency as JSON and CSV, and writes; page, overview, run and manifest.
	const data = 5
	if n := 3*len(figures) + len(several) + data + 4; len(files) != n {
		t.Errorf("%d files; want %d", len(files), n)
	}
	for name, texts := range map[string][]string{
		"matrix":           {"read-direct, 4 KiB", "goroutines", "ratio of ops/s"},
		"fig6":             {"bytes a call", "time a call, µs", "sluice/uring", "2017 AIO"},
		"scan-direct-512k": {"GB/s", "published", "sluice Next"},
		"fig5-buffered-2":  {"bytes a read", "µs a read, stacked", "µs a call", "2017 AIO", "io_submit", "sluice/uring: n/a"},
		"aio-latency-none": {"ms since the first", "number of the write", "latency, ms", "none, uring", "queued", "notified"},
		"aio-latency":      {"writes a batch, median", "first write of a batch, ms", "published", "none, aio"},
		"cp-small":         {"MB/s", "sluice cp", "floor x 1", "published"},
		"fio-expect":       {"random, 4 KiB, cold", "sequential, 1 MiB, in memory"},
		"rand-depth":       {"operations in flight", "operations/s", "fio, tuned"},
	} {
		for _, text := range texts {
			if !bytes.Contains(files[name+".svg"], []byte(">"+text+"<")) {
				t.Errorf("%s.svg does not say %q", name, text)
			}
		}
	}
}

func TestCSV(t *testing.T) {
	lines, err := csv.NewReader(bytes.NewReader(written(t)["fig6.csv"])).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(lines[0], csvHead) {
		t.Errorf("head is %q; want %q", lines[0], csvHead)
	}
	const loads, sides, rounds = 8, 4, 6
	if n := 1 + loads*(sides*rounds+1); len(lines) != n { // the fifth side is unsupported
		t.Errorf("%d lines; want %d", len(lines), n)
	}
	want := []string{"fig6", "4096 bytes, goroutines: 1", "read-direct", "4096", "1", "os.File", "1"}
	if !slices.Equal(lines[1][:len(want)], want) {
		t.Errorf("the first round is %q; want it to begin with %q", lines[1], want)
	}
}

// TestSame draws the same results again, and checks that the pictures are the same.
func TestSame(t *testing.T) {
	files, run := written(t), testRun(t)
	for _, f := range figures(run) {
		for _, p := range f.Pictures {
			if !bytes.Equal(p.Chart.SVG(), files[p.Name+".svg"]) {
				t.Errorf("%s.svg differs from time to time", p.Name)
			}
		}
	}
}

// TestPublishedPoints checks that both published points of the reads of 512 KiB are drawn: in the
// first row, which is on top, and in Next's row.
func TestPublishedPoints(t *testing.T) {
	for _, named := range testRun(t).Results {
		if named.Name != "scan-direct-512k" {
			continue
		}
		race := named.Result.(*experiments.RaceResult).Races[0]
		want := []chart.Point{{X: 0.94514, Y: 4, Low: 0.94514, High: 0.94514}, {X: 7.29, Y: 1, Low: 7.29, High: 7.29}}
		got := publishedPoints(race, 1e-9)
		for i := range got {
			got[i].X = math.Round(got[i].X*1e5) / 1e5
			got[i].Low, got[i].High = got[i].X, got[i].X
		}
		if !slices.Equal(got, want) {
			t.Errorf("published points are %v; want %v", got, want)
		}
	}
}

// TestMatrixProcs checks that cells with different numbers of processors are series of one panel,
// with their intervals.
func TestMatrixProcs(t *testing.T) {
	r := &experiments.MatrixResult{}
	for _, procs := range []int{0, 4} {
		for _, n := range []int{1, 16} {
			r.Cells = append(r.Cells, experiments.Cell{
				Load:   load.Load{Kind: load.ReadDirect, Size: 4096, Goroutines: n, Procs: procs},
				Ratios: &experiments.Ratios{Rate: 1.5, Low: 1.4, High: 1.6},
			})
		}
	}
	p := matrixPanel(r, load.ReadDirect, 4096, ratioAxis(r))
	if len(p.Series) != 2 || p.Series[0].Name != "GOMAXPROCS as usual" || p.Series[1].Name != "GOMAXPROCS 4" {
		t.Fatalf("series are %+v; want one for each number of processors", p.Series)
	}
	if pt := p.Series[1].Points[1]; len(p.Series[1].Points) != 2 || pt.Y != 1.5 || pt.Low != 1.4 || pt.High != 1.6 {
		t.Errorf("points are %+v; want both numbers of goroutines, with intervals", p.Series[1].Points)
	}
	r.Cells = r.Cells[:2]
	if p := matrixPanel(r, load.ReadDirect, 4096, ratioAxis(r)); len(p.Series) != 1 || p.Series[0].Name != "" {
		t.Errorf("series are %+v; want one without a name", p.Series)
	}
	if p := matrixPanel(r, load.ReadCold, 4096, ratioAxis(r)); p != nil {
		t.Errorf("of cells that are not there the panel is %+v; want nil", p)
	}
}

func TestOpen(t *testing.T) {
	foreign := t.TempDir()
	for _, name := range []string{"thesis.tex", index} { // a page that is no report
		if err := os.WriteFile(filepath.Join(foreign, name), []byte("<html>"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(foreign); err == nil || !strings.Contains(err.Error(), "no report of sluice") {
		t.Errorf("Open of a foreign directory = %v; want an error", err)
	}
	if _, err := Open(filepath.Join(foreign, "thesis.tex")); err == nil {
		t.Error("Open of a file = nil; want an error")
	}
	fresh := filepath.Join(t.TempDir(), "new")
	d, err := Open(fresh)
	if err != nil {
		t.Fatal(err)
	}
	d.Abandon()
	if _, err := os.Stat(fresh); err == nil {
		t.Error("an abandoned directory is left")
	}
}

// TestFit checks that an axis shows all values, and error bars as far as they leave room.
func TestFit(t *testing.T) {
	for _, test := range []struct {
		of        []interval
		low, high float64
	}{
		{[]interval{{1, 0.9, 1.2}, {2, 1.8, 2.1}}, 0.9, 2.1},
		{[]interval{{1, 0.001, 1000}}, 0.4, 2.5},
		{[]interval{{1, math.NaN(), math.NaN()}, {math.NaN(), 0, 0}, {math.Inf(1), 1, 2}, {0, 0, 0}}, 1, 1},
	} {
		var a chart.Axis
		fit(&a, test.of)
		if a.Min != test.low || a.Max != test.high {
			t.Errorf("fit of %v is %v to %v; want %v to %v", test.of, a.Min, a.Max, test.low, test.high)
		}
	}
}

// TestCopyPanel checks that the published rate of cp -r is on top, and that the axis is logarithmic
// if rates are far apart.
func TestCopyPanel(t *testing.T) {
	row := func(name string, seconds float64) experiments.CopyRow {
		s := load.Slice{Ops: 100, Elapsed: time.Duration(seconds * float64(time.Second))}
		return experiments.CopyRow{Result: &duel.Result{Side: load.Side{Name: name}, Rounds: []load.Slice{s, s}}}
	}
	r := &experiments.CopyResult{Published: tree.Shape{Levels: 7, Width: 5, FileSize: 4 << 10}}
	m := experiments.CopyMode{
		Sum: tree.Sum{Files: 100, Bytes: 500e6}, PublishedBase: 2.910,
		Rows: []experiments.CopyRow{row("cp -r", 2), row("sluice cp", 1)},
	}
	p := copyPanel(r, m)
	if here := p.Series[0].Points; here[0].X != 500 || here[1].X != 1000 || here[0].Y != 1 || p.X.Log || p.X.Min != 0 {
		t.Errorf("points are %v on %+v; want 500 and 1000 MB/s from 0 on", here, p.X)
	}
	if there := p.Series[1].Points[0]; math.Round(there.X) != 330 || there.Y != 1 {
		t.Errorf("published point is %v; want 330 MB/s in the first row", there)
	}
	m.Rows = append(m.Rows, row("floor", 0.1))
	if p := copyPanel(r, m); !p.X.Log {
		t.Error("the axis of 500 to 10,000 MB/s is linear")
	}
}
