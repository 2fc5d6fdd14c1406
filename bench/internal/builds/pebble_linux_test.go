package builds

import (
	"os/exec"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/duel"
	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestPebble builds the program by go build alone, and makes a small database with it.
func TestPebble(t *testing.T) {
	goExe, err := exec.LookPath("go")
	if err != nil {
		skip.For(t, skip.Go, err)
	}
	dir := t.TempDir()
	p, err := MakePebble(t.Context(), dir, goExe, "go", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	arena := &duel.Arena{Path: t.TempDir(), Programs: map[load.Way]duel.Program{load.ByPebble: {Exe: p.Plain}}}
	l := load.Load{Kind: load.PebbleLoad, Size: 1000, Goroutines: 1, Records: 1000, Cache: 1 << 20}
	last := 0.0
	if err := arena.Fill(t.Context(), duel.Entry{Load: l, Side: load.Side{Way: load.ByPebble}}, func(done float64) { last = done }); err != nil || last != 1 {
		t.Errorf("Fill = %v, up to %v; want nil, 1", err, last)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	wantEmpty(t, dir)
}
