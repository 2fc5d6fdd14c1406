package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/experiments"
	"github.com/sluiceio/sluice/bench/results"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// root is the directory in which the command must run.
const root = "../.."

// TestQuick measures two pages in tiny sizes, and checks all written files.
func TestQuick(t *testing.T) {
	if testing.Short() {
		skip.For(t, skip.Short, "builds sluice and measures")
	}
	t.Chdir(root)
	out, dir := t.TempDir(), t.TempDir()
	if err := os.CopyFS(out, os.DirFS("docs/results")); err != nil {
		t.Fatal(err)
	}
	stale := filepath.Join(out, dataDir, "matrix", "stale.svg")
	if err := errors.Join(os.MkdirAll(filepath.Dir(stale), 0o755), os.WriteFile(stale, nil, 0o644)); err != nil {
		t.Fatal(err)
	}
	// p3 counts as not measured before, whether it has a page or not.
	table := strings.ReplaceAll(readFile(t, "docs/results/README.md"), "| [p3](p3.md) |", "| p3: no run yet |")
	if err := errors.Join(os.RemoveAll(filepath.Join(out, "p3.md")), os.WriteFile(filepath.Join(out, "README.md"), []byte(table), 0o644)); err != nil {
		t.Fatal(err)
	}
	before := make(map[string]string)
	for _, name := range []string{"matrix", "README", "wal"} {
		before[name] = readFile(t, filepath.Join(out, name+".md"))
	}
	o, err := parse([]string{"-quick", "-dir", dir, "-out", out, "matrix", "p3"})
	if err != nil {
		t.Fatal(err)
	}
	if err := run(context.Background(), o); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(stale); err == nil {
		t.Error("a picture of the run before is still there")
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("left in the directory that was measured: %v, %v", left, err)
	}
	for _, name := range []string{"matrix", "p3"} {
		checkPage(t, out, name)
	}
	// Handwritten text stays, and so do other pages.
	for name, was := range before {
		is := readFile(t, filepath.Join(out, name+".md"))
		if hand(t, was) != hand(t, is) {
			t.Errorf("%s.md: what is written by hand has changed", name)
		}
		if same := was == is; same != (name == "wal") {
			t.Errorf("%s.md: changed is %v", name, !same)
		}
	}
	if table := readFile(t, filepath.Join(out, "README.md")); !strings.Contains(table, "| [p3](p3.md) |") {
		t.Error("README.md has no row of the new page")
	}
}

// TestInterrupted ends a run during a measurement. Nothing may be left, and the page must not be
// written.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		skip.For(t, skip.Short, "builds sluice")
	}
	if runtime.GOOS == "windows" {
		skip.For(t, skip.Platform, "no process can be interrupted there")
	}
	t.Chdir(root)
	out, dir := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(out, "README.md"), []byte(begin+"\n"+end+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	work := t.TempDir()
	w := &writer{out: out, work: work, dir: dir, quick: true, sluice: filepath.Join(work, "sluice"), machine: lookAround(dir)}
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	if err := build(ctx, w.sluice); err != nil {
		t.Fatal(err)
	}
	p1, err := choose([]string{"p1"}) // takes minutes
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { ended <- w.all(ctx, p1) }()
	for measuring := false; !measuring; time.Sleep(time.Millisecond) {
		_, err := os.Stat(filepath.Join(work, "p1.json")) // made before the measurements
		measuring = err == nil
		select {
		case err := <-ended:
			t.Fatalf("run = %v before it was interrupted", err)
		default:
		}
	}
	stop()
	if err := <-ended; err == nil || !strings.Contains(err.Error(), "interrupted at p1") {
		t.Errorf("run = %v; want interrupted at p1", err)
	}
	for name, want := range map[string]int{dir: 0, out: 1} {
		if files, err := os.ReadDir(name); err != nil || len(files) != want {
			t.Errorf("%s has %v, %v; want %d files", name, files, err, want)
		}
	}
}

// elsewhere has the experiments without a page here, with the reason.
var elsewhere = map[string]string{"scale": "docs/scale.md: it is for machines that this project does not have"}

// TestAllExperiments checks that each experiment is in a page.
func TestAllExperiments(t *testing.T) {
	covered := make(map[string]bool)
	for _, p := range pages {
		for _, arg := range p.args {
			found, err := experiments.Find(arg)
			if err != nil && !strings.HasPrefix(arg, "-") {
				t.Errorf("page %s: %v", p.name, err)
			}
			for _, e := range found {
				covered[e.Name] = true
			}
		}
	}
	for _, e := range experiments.All {
		if covered[e.Name] == (elsewhere[e.Name] != "") {
			t.Errorf("the experiment %s is in a page: %t, and elsewhere: %q", e.Name, covered[e.Name], elsewhere[e.Name])
		}
	}
}

// checkPage checks a written page, its pictures and its raw results.
func checkPage(t *testing.T, out, name string) {
	t.Helper()
	text := readFile(t, filepath.Join(out, name+".md"))
	packed, err := os.Open(filepath.Join(out, dataDir, name, "results.json.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer packed.Close()
	z, err := gzip.NewReader(packed)
	if err != nil {
		t.Fatal(err)
	}
	raw, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	run, err := results.Decode(raw)
	if err != nil {
		t.Fatalf("%s: the raw results: %v", name, err)
	}
	for _, want := range []string{"the figures mean nothing", run.Machine.String(), run.Finished.Format("2006-01-02"), "`sluice bench "} {
		if !strings.Contains(text, want) {
			t.Errorf("%s.md does not have %q:\n%s", name, want, text)
		}
	}
	pictures := 0
	for part := range strings.SplitSeq(text, "]("+dataDir+"/") {
		file, _, _ := strings.Cut(part, ")")
		if !strings.HasPrefix(file, name+"/") {
			continue
		}
		if info, err := os.Stat(filepath.Join(out, dataDir, file)); err != nil || info.Size() == 0 {
			t.Errorf("%s.md links to %s: %v", name, file, err)
		}
		pictures++
	}
	if pictures < 2 { // the raw results are one link
		t.Errorf("%s.md has no picture:\n%s", name, text)
	}
}

func readFile(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// hand returns the text outside the markers.
func hand(t *testing.T, text string) string {
	t.Helper()
	out, err := replace(text, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestPagesHaveMarkers checks the pages in the repository: without markers a run would fail after
// hours of measuring.
func TestPagesHaveMarkers(t *testing.T) {
	for _, p := range append([]page{{name: "README"}}, pages...) {
		text, err := os.ReadFile(filepath.Join(root, "docs/results", p.name+".md"))
		if errors.Is(err, os.ErrNotExist) {
			continue // no run yet
		}
		if err != nil {
			t.Fatal(err)
		}
		hand(t, string(text))
	}
}

// TestContents checks that the table of all pages in the repository matches its pages, each with
// the command that the page gives.
func TestContents(t *testing.T) {
	out := t.TempDir()
	if err := os.CopyFS(out, os.DirFS(filepath.Join(root, "docs/results"))); err != nil {
		t.Fatal(err)
	}
	if err := (&writer{out: out}).contents(); err != nil {
		t.Fatal(err)
	}
	was, is := readFile(t, filepath.Join(root, "docs/results/README.md")), readFile(t, filepath.Join(out, "README.md"))
	if was != is {
		t.Errorf("docs/results/README.md would change:\n%s", is)
	}
}

func TestReplace(t *testing.T) {
	for _, c := range []struct{ old, want string }{
		{"", "# title\n\n" + begin + "\nnew\n" + end + "\n"},
		{"# a\n\n" + begin + "\nold\n" + end + "\nb\n", "# a\n\n" + begin + "\nnew\n" + end + "\nb\n"},
		{"# a\n", ""},
		{"# a\n" + begin + "\n", ""},
		{"# a\n" + end + "\n" + begin + "\n", ""},
		{begin + "\n" + end + "\n" + begin + "\n" + end + "\n", ""},
	} {
		got, err := replace(c.old, "title", "new\n")
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("replace(%q) = %q, %v; want %q", c.old, got, err, c.want)
		}
	}
}

// TestArguments checks the omitted parts on machines of several kinds.
func TestArguments(t *testing.T) {
	const plenty = 100 << 30
	for _, c := range []struct {
		page    string
		s       surroundings
		quick   bool
		args    string // "" means an error
		without int
	}{
		{"p4", surroundings{root: true, fio: true, free: plenty}, false, "p4 --full --fio", 0},
		{"p4", surroundings{root: true, free: plenty}, false, "p4 --full", 1},
		{"p4", surroundings{root: true, fio: true, free: 5 << 30}, false, "p4 --fio", 1},
		{"p4", surroundings{root: true, fio: true, free: 5 << 30}, true, "p4 --fio --size 8m --time 2ms --rounds 5", 0},
		{"p4", surroundings{root: true, fio: true, free: 5 << 20}, false, "", 0},
		{"p2", surroundings{free: plenty}, false, "p2 --full", 1},
		{"p3", surroundings{free: plenty}, false, "aio-latency --full", 1},
		{"threads", surroundings{free: plenty}, false, "", 0},
		{"threads", surroundings{fuse: true, free: plenty}, false, "threads --full", 1},
		{"threads", surroundings{root: true, free: plenty}, false, "threads --full", 0},
		{"pebble", surroundings{free: plenty}, false, "", 0},
		{"pebble", surroundings{root: true, free: plenty}, false, "pebble --full", 0},
		{"pebble", surroundings{root: true, free: 5 << 30}, false, "pebble", 1},
		{"wal", surroundings{free: plenty}, false, "wal --full", 0},
	} {
		p, err := choose([]string{c.page})
		if err != nil {
			t.Fatal(err)
		}
		args, without, err := c.s.arguments(p[0], c.quick)
		if strings.Join(args, " ") != c.args || len(without) != c.without || (err != nil) != (c.args == "") {
			t.Errorf("%s on %+v: %q, without %q, %v; want %q and %d things left out", c.page, c.s, args, without, err, c.args, c.without)
		}
	}
}

// TestFailedPageStays makes sluice fail, and checks the page and the error.
func TestFailedPageStays(t *testing.T) {
	out := t.TempDir()
	was := "# wal\n\n" + begin + "\nof before\n" + end + "\n"
	for _, name := range []string{"wal", "README"} {
		if err := os.WriteFile(filepath.Join(out, name+".md"), []byte(was), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	w := &writer{out: out, work: t.TempDir(), dir: ".", sluice: "/nowhere/sluice", machine: surroundings{free: 1 << 40}}
	p, err := choose([]string{"wal"})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.all(context.Background(), p); err == nil || !strings.Contains(err.Error(), "not written: wal") {
		t.Errorf("all = %v; want not written: wal", err)
	}
	if is := readFile(t, filepath.Join(out, "wal.md")); is != was {
		t.Errorf("the page has changed:\n%s", is)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if err := w.all(ctx, p); err == nil || !strings.Contains(err.Error(), "interrupted at wal") {
		t.Errorf("all, interrupted = %v", err)
	}
}

func TestCheckSize(t *testing.T) {
	out := t.TempDir()
	w := &writer{out: out}
	write := func(name string, size int) {
		if err := os.WriteFile(filepath.Join(out, name), bytes.Repeat([]byte("x"), size), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("small", mostBytes/3)
	if err := w.checkSize(); err != nil {
		t.Error(err)
	}
	write("large", mostBytes*2/3+2)
	if err := w.checkSize(); err == nil || !strings.Contains(err.Error(), "large") {
		t.Errorf("checkSize = %v; want an error that names the largest file", err)
	}
}

func TestChoose(t *testing.T) {
	if all, err := choose(nil); err != nil || len(all) != len(pages) {
		t.Errorf("choose() = %d pages, %v; want all", len(all), err)
	}
	if _, err := choose([]string{"nonsense"}); err == nil || !strings.Contains(err.Error(), "matrix") {
		t.Errorf("choose(nonsense) = %v; want an error with the names there are", err)
	}
	if names := pageNames(); !slices.Contains(names, "p4") {
		t.Errorf("pages: %q", names)
	}
}
