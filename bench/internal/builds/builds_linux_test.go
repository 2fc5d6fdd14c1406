package builds

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestReader builds the program by go build alone, and tries it.
func TestReader(t *testing.T) {
	goExe, err := exec.LookPath("go")
	if err != nil {
		skip.For(t, skip.Go, err)
	}
	dir := t.TempDir()
	p, err := Make(t.Context(), dir, goExe, "go")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("Work", func(t *testing.T) { testWork(t, p) })
	t.Run("WorkFails", func(t *testing.T) { testWorkFails(t, p) })
	t.Run("Crowd", func(t *testing.T) { testCrowd(t, p) })
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	wantEmpty(t, dir)
}

func file(t *testing.T) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return name
}

// testWork checks that the program performs each load.
func testWork(t *testing.T, p *Pair) {
	arena := &duel.Arena{Path: file(t), Programs: map[load.Way]duel.Program{
		load.ByGoBuild: {Exe: p.Plain}, load.BySluiceBuild: {Exe: p.Sluice},
	}}
	sides := []load.Side{{Name: "go build", Way: load.ByGoBuild}, {Name: "sluice build", Way: load.BySluiceBuild}}
	for _, l := range []load.Load{
		{Kind: load.ReadCached, Size: 4 << 10, Goroutines: 2},
		{Kind: load.ReadStack, Size: 4 << 10, Goroutines: 2},
		{Kind: load.ScanCached, Size: 4 << 10, Goroutines: 2, Within: 64 << 10},
		{Kind: load.WriteBuffered, Size: 4 << 10, Goroutines: 2},
		{Kind: load.ReadDirect, Size: 4 << 10, Goroutines: 2},
		{Kind: load.ReadFiles, Size: 1 << 10, Goroutines: 2},
		{Kind: load.HashFile, Size: 64 << 10, Goroutines: 2},
		{Kind: load.ZipFiles, Size: 1 << 10, Goroutines: 2},
	} {
		results, err := arena.Compare(t.Context(), duel.Same(l, sides), duel.Plan{Time: 2 * time.Millisecond, Rounds: 2})
		if err != nil {
			t.Errorf("%s: %v", l, err)
			continue
		}
		for _, r := range results {
			if r.Unsupported == "" && (len(r.Rounds) != 2 || r.Rounds[0].Elapsed <= 0 || r.Threads < 1) {
				t.Errorf("%s: %+v; want two rounds with a time", l, r)
			}
		}
	}
}

// testWorkFails checks the errors that the program reports.
func testWorkFails(t *testing.T, p *Pair) {
	for _, test := range []struct {
		path, want string
		load       load.Load
	}{
		{"missing", "no such file", load.Load{Kind: load.ReadCached, Size: 4 << 10, Goroutines: 1}},
		{file(t), "smaller than one operation", load.Load{Kind: load.ReadCached, Size: 4 << 20, Goroutines: 1}},
		{file(t), "unknown kind", load.Load{Kind: load.ReadCold, Size: 4 << 10, Goroutines: 1}},
	} {
		arena := &duel.Arena{Path: test.path, Programs: map[load.Way]duel.Program{load.ByGoBuild: {Exe: p.Plain}}}
		sides := []load.Side{{Name: "go build", Way: load.ByGoBuild}}
		_, err := arena.Compare(t.Context(), duel.Same(test.load, sides), duel.Plan{Time: time.Millisecond, Rounds: 1})
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s of %s: %v; want %q", test.load, test.path, err, test.want)
		}
	}
}

// testCrowd checks that each goroutine reads a page.
func testCrowd(t *testing.T, p *Pair) {
	run := func(n int) (crowd.Outcome, error) {
		return crowd.Run(t.Context(), crowd.Program{Exe: p.Plain, Argv: []string{p.Plain, "crowd"}},
			crowd.Job{Path: file(t), Goroutines: n}, func(int) error { return nil })
	}
	o, err := run(100)
	if err != nil || o.Died != "" || o.Buffers != crowd.Size(100) || o.Threads < 1 {
		t.Errorf("Run = %+v, %v; want all read", o, err)
	}
	if _, err := run(1000); err == nil || !strings.Contains(err.Error(), "EOF") {
		t.Errorf("Run past the end of the file = %v; want EOF", err)
	}
}

// TestStarters builds the two programs, and lets them read a file.
func TestStarters(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		skip.For(t, skip.Go, err)
	}
	dir := t.TempDir()
	s, err := MakeStarters(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	arena := &duel.Arena{Path: file(t), Starters: map[load.Way]string{load.ByOS: s.OS, load.BySluice: s.Sluice}}
	l := load.Load{Kind: load.Start, Size: 4 << 10, Goroutines: 1}
	results, err := arena.Compare(t.Context(), duel.Same(l, []load.Side{load.OSFile, load.Sluice("")}), duel.Plan{Time: time.Millisecond, Rounds: 1})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if len(r.Rounds) != 1 || r.Rounds[0].Ops < 1 || r.Rounds[0].Resident < 1<<20 || r.Rounds[0].Resident > 100<<20 {
			t.Errorf("%s: %+v; want a round with a few MiB of memory", r.Side.Name, r)
		}
	}
	arena.Path += "-that-is-not-there"
	if _, err := arena.Compare(t.Context(), duel.Same(l, []load.Side{load.Sluice("")}), duel.Plan{Time: time.Millisecond, Rounds: 1}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("without a file: %v; want what the program says", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	wantEmpty(t, dir)
}

// TestNoStarters checks that the error names the missing part.
func TestNoStarters(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("SLUICE_SOURCE", "elsewhere")
	if _, err := MakeStarters(t.Context(), dir); !errors.Is(err, ErrNoStarters) || !strings.Contains(err.Error(), "SLUICE_SOURCE") {
		t.Errorf("MakeStarters = %v; want that the source is missing", err)
	}
	t.Setenv("PATH", dir)
	if _, err := MakeStarters(t.Context(), dir); !errors.Is(err, ErrNoStarters) || !strings.HasSuffix(err.Error(), "there is no go command in PATH") {
		t.Errorf("MakeStarters = %v; want that there is no toolchain", err)
	}
	wantEmpty(t, dir)
}

// TestBuildFails checks that the error has the failed command's output, and that nothing is left.
func TestBuildFails(t *testing.T) {
	bin, dir := t.TempDir(), t.TempDir()
	script := "#!/bin/sh\necho the disk has left\necho more\nexit 3\n"
	if err := os.WriteFile(filepath.Join(bin, "go"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin)
	if _, err := Make(t.Context(), dir, "sluice", "sluice"); err == nil || err.Error() != "go build: exit status 3: the disk has left" {
		t.Errorf("Make = %v; want who failed, and its first line", err)
	}
	wantEmpty(t, dir)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := Make(ctx, dir, "sluice", "sluice"); !errors.Is(err, enough) {
		t.Errorf("Make = %v; want the cause of the end", err)
	}
	wantEmpty(t, dir)
}

// TestNames checks that the program's messages have the names of package load.
func TestNames(t *testing.T) {
	text, err := json.Marshal(load.Request{
		Setup: &load.Setup{Load: load.Load{Within: 1}}, Slice: &load.SliceReq{},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"setup", "path", "load", "kind", "size", "goroutines", "within", "slice", "lead", "time", "seed"} {
		if !strings.Contains(string(text), `"`+name+`":`) {
			t.Errorf("a request has no %q: %s", name, text)
		}
	}
}
