package pebblevfs_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

var (
	suite = flag.String("pebble.suite", "quick", "which of Pebble's own tests to run: none, quick (vfs, objstorageprovider), all (with sstable and tool), or folders, as in vfs,sstable/...")
	meta  = flag.Int("pebble.meta", 0, "runs of Pebble's metamorphic test in each mode")
	first = flag.Uint64("pebble.meta.first", 1, "seed of the first of these runs; each has the one after it, so that a later command can go on")
	ops   = flag.String("pebble.meta.ops", "uniform:500-500", "operations of each of these runs")
)

// modeEnv names the environment variable that makes Pebble's tests use an FS as vfs.Default.
const modeEnv = "PEBBLEVFS_MODE"

// useFS is added to a package of Pebble's tests. It is in the external tests because package vfs
// cannot import a package that imports it.
const useFS = `package %s_test

import (
	"os"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
)

func init() {
	name := os.Getenv("PEBBLEVFS_MODE")
	if name == "stock" {
		return
	}
	for mode := pebblevfs.Buffered; mode <= pebblevfs.Direct; mode++ {
		if mode.String() != name {
			continue
		}
		s, err := sluice.Default()
		if err != nil {
			panic(err)
		}
		class, err := s.Class("pebble background", sluice.ClassOptions{Weight: 10})
		if err != nil {
			panic(err)
		}
		fs, err := pebblevfs.New(pebblevfs.Options{Mode: mode, Scheduler: s, Background: class})
		if err != nil {
			panic(err)
		}
		vfs.Default = fs
		return
	}
	panic("PEBBLEVFS_MODE is " + name)
}
`

// pebbleTests is a copy of Pebble's module. Its tests can run on an FS.
type pebbleTests struct{ dir string }

// newPebbleTests copies Pebble's module from the module cache.
func newPebbleTests(t *testing.T) *pebbleTests {
	t.Helper()
	p := &pebbleTests{t.TempDir()}
	from := goTool(t, ".", "list", "-m", "-f", "{{.Dir}}", "github.com/cockroachdb/pebble/v2")
	if err := os.CopyFS(filepath.Join(p.dir, "pebble"), os.DirFS(strings.TrimSpace(from))); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(name)
		if err == nil {
			err = os.WriteFile(filepath.Join(p.dir, name), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	here, err := filepath.Abs(".")
	if err != nil {
		t.Fatal(err)
	}
	const sluice = "github.com/sluiceio/sluice"
	goTool(t, p.dir, "mod", "edit", "-module=suite",
		"-require="+sluice+"/integrations/pebblevfs@v0.0.0",
		"-replace="+sluice+"/integrations/pebblevfs="+here,
		"-replace="+sluice+"="+filepath.Dir(filepath.Dir(here)),
		"-replace=github.com/cockroachdb/pebble/v2=./pebble")
	return p
}

// goTool runs the go command in dir, and returns its output.
func goTool(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Dir = dir
	if dir != "." {
		cmd.Env = append(os.Environ(), "GOWORK=off")
	}
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go %q: %v: %s", args, err, &complaints)
	}
	return string(out)
}

// packages returns Pebble's packages with tests below the folders.
func (p *pebbleTests) packages(t *testing.T, folders ...string) (found []string) {
	t.Helper()
	for _, folder := range folders {
		list := goTool(t, p.dir, "list", "-mod=mod", "-f", "{{if or .TestGoFiles .XTestGoFiles}}{{.Dir}}{{end}}", "github.com/cockroachdb/pebble/v2/"+folder)
		for _, dir := range strings.Fields(list) {
			dir, err := filepath.Rel(filepath.Join(p.dir, "pebble"), dir)
			if err != nil {
				t.Fatal(err)
			}
			found = append(found, dir)
		}
	}
	return found
}

// build builds the tests of one of Pebble's packages. It returns the program and its directory.
func (p *pebbleTests) build(t *testing.T, pkg string) (program, dir string) {
	t.Helper()
	dir = filepath.Join(p.dir, "pebble", pkg)
	program = filepath.Join(p.dir, strings.ReplaceAll(pkg, "/", "-")+".test")
	name := strings.TrimSpace(goTool(t, p.dir, "list", "-mod=mod", "-f", "{{.Name}}", "github.com/cockroachdb/pebble/v2/"+pkg))
	if err := os.WriteFile(filepath.Join(dir, "zz_sluice_test.go"), fmt.Appendf(nil, useFS, name), 0o600); err != nil {
		t.Fatal(err)
	}
	goTool(t, p.dir, "test", "-mod=mod", "-c", "-o", program, "github.com/cockroachdb/pebble/v2/"+pkg)
	return program, dir
}

// restartInMemoryAlone makes the metamorphic test only restart databases in memory. In that step it
// takes any FS for a vfs.MemFS.
func (p *pebbleTests) restartInMemoryAlone(t *testing.T) {
	t.Helper()
	name := filepath.Join(p.dir, "pebble", "metamorphic", "test.go")
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const was = "fs := vfs.Root(t.opts.FS).(*vfs.MemFS)\n"
	is := bytes.Replace(b, []byte(was), []byte("fs, ok := vfs.Root(t.opts.FS).(*vfs.MemFS)\n\tif !ok {\n\t\treturn nil\n\t}\n"), 1)
	if bytes.Equal(is, b) {
		t.Fatalf("%s has no line %q any more: look how it restarts a database now", name, was)
	}
	if err := os.WriteFile(name, is, 0o600); err != nil {
		t.Fatal(err)
	}
}

// event is a line of test2json.
type event struct{ Action, Test, Output string }

// results runs a test program. It returns how each test ended, by its name without numbers that may
// come from a random seed.
func results(t *testing.T, program, dir, mode string) (ended map[string]string, failed string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "tool", "test2json", program, "-test.v=test2json", "-test.timeout=30m")
	cmd.Dir = dir
	// With CI set, Pebble skips three tests of blocks in memory. One of them takes over 24 GB.
	cmd.Env = append(os.Environ(), "GOWORK=off", "CI=1", modeEnv+"="+mode, "TMPDIR="+t.TempDir())
	cmd.Stderr = os.Stderr
	out, err := cmd.Output() // test2json ends with the status of the tests
	ended, said := make(map[string]string), make(map[string]string)
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var e event
		if err := d.Decode(&e); err == io.EOF {
			break
		} else if err != nil {
			t.Fatalf("test2json: %v", err)
		}
		name := seeds.ReplaceAllString(strings.Replace(e.Test, "*pebblevfs.FS", "vfs.defaultFS", 1), "N")
		switch e.Action {
		case "output":
			said[name] += e.Output
		case "pass", "fail", "skip":
			if ended[name] != "fail" {
				ended[name] = e.Action
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(ended)) {
		if ended[name] == "fail" {
			failed += said[name]
		}
	}
	if err != nil {
		failed += fmt.Sprintf("%s: %v\n", program, err)
	}
	return ended, failed
}

// seeds matches numbers that differ from run to run. Small numbers count the cases of a test.
var seeds = regexp.MustCompile(`-?\d{5,}`)

// dropRandom removes subtests with random names, and those beside them, from a run's results:
// another run has others. Their parent tests stay, and fail if a subtest does.
func dropRandom(ended, again map[string]string) {
	random := make(map[string]bool)
	for _, names := range [][2]map[string]string{{ended, again}, {again, ended}} {
		for name := range names[0] {
			if _, ok := names[1][name]; !ok && strings.Contains(name, "/") {
				random[name[:strings.LastIndex(name, "/")]] = true
			}
		}
	}
	maps.DeleteFunc(ended, func(name, _ string) bool {
		for i, c := range name {
			if c == '/' && random[name[:i]] {
				return true
			}
		}
		return false
	})
}

// TestPebble runs Pebble's own tests on each mode, and on vfs.Default. The results must be the
// same.
func TestPebble(t *testing.T) {
	if *suite == "none" || testing.Short() {
		skip.For(t, skip.Flag, "-pebble.suite=none, or -short")
	}
	folders, named := map[string][]string{
		"quick": {"vfs", "objstorage/objstorageprovider"},
		"all":   {"vfs/...", "objstorage/...", "sstable/...", "tool"},
	}[*suite]
	if !named {
		folders = strings.Split(*suite, ",")
	}
	p := newPebbleTests(t)
	for _, pkg := range p.packages(t, folders...) {
		program, dir := p.build(t, pkg)
		want, failed := results(t, program, dir, "stock")
		if failed != "" {
			t.Logf("%s: with vfs.Default:\n%s", pkg, failed)
		}
		again, _ := results(t, program, dir, "stock")
		dropRandom(want, again)
		for _, mode := range modes {
			got, failed := results(t, program, dir, mode.String())
			same := 0
			for name, end := range want {
				if got[name] == end {
					same++
				} else {
					t.Errorf("%s, %s: %s ends with %q; want %q, as with vfs.Default", mode, pkg, name, got[name], end)
				}
			}
			if t.Failed() {
				t.Fatalf("%s, %s:\n%s", mode, pkg, failed)
			}
			t.Logf("%s, %s: %d of %d tests end as with vfs.Default", mode, pkg, same, len(want))
		}
	}
}

// TestMetamorphic runs Pebble's metamorphic test on disk, in each mode: the same random operations,
// with many different options, must have the same results. Runs are sequential, because each writes
// some hundred MB and removes them. A failure names the run's seed.
func TestMetamorphic(t *testing.T) {
	if *meta == 0 {
		skip.For(t, skip.Flag, "takes long; -pebble.meta=N makes N runs in each mode")
	}
	p := newPebbleTests(t)
	p.restartInMemoryAlone(t)
	program, dir := p.build(t, "internal/metamorphic")
	for seed := *first; seed < *first+uint64(*meta); seed++ {
		for _, mode := range modes {
			state := t.TempDir()
			cmd := exec.CommandContext(t.Context(), program, "-test.run=^TestMeta$", "-fs=disk", "-ops="+*ops, "-dir="+state, fmt.Sprint("-seed=", seed))
			cmd.Dir = dir
			cmd.Env = append(os.Environ(), modeEnv+"="+mode.String())
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Fatalf("-pebble.meta.first=%d, %s: %v:\n%s", seed, mode, err, out)
			}
			if err := os.RemoveAll(state); err != nil {
				t.Fatal(err)
			}
		}
		t.Logf("the run with seed %d has passed in each mode", seed)
	}
}
