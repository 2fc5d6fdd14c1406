//go:build unix

package duel

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

var start = load.Load{Kind: load.Start, Size: 4096, Goroutines: 1}

// script returns an executable file.
func script(t *testing.T, text string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(name, []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		t.Fatal(err)
	}
	return name
}

// TestStart compares two programs. One of them sleeps.
func TestStart(t *testing.T) {
	const reads = `read -r line <"$1" || [ -n "$line" ] || exit 3
if [ $# -gt 1 ]; then printf 'Name: x\nVmHWM:\t   12 kB\nThreads:\t1\n'; fi
`
	a := arena(t, "worker")
	a.Starters = map[load.Way]string{load.ByOS: script(t, reads), load.BySluice: script(t, reads+"sleep 0.05")}
	results, err := a.Compare(t.Context(), Same(start, []load.Side{load.OSFile, load.Sluice("")}), Plan{Time: 20 * time.Millisecond, Rounds: 2})
	if err != nil {
		t.Fatal(err)
	}
	for i, least := range []time.Duration{1, 50 * time.Millisecond} {
		r := results[i]
		if len(r.Rounds) != 2 || r.Unsupported != "" {
			t.Fatalf("%s has %d rounds, unsupported %q; want 2", r.Side.Name, len(r.Rounds), r.Unsupported)
		}
		s := r.Rounds[1]
		if s.Resident != 12<<10 || s.Ops < 1 || s.Mean < least || s.P50 < least || s.Max < s.P99 || s.Elapsed < s.Max || r.Threads != 0 {
			t.Errorf("%s: %+v; want 12 KiB, and at least %s", r.Side.Name, s, least)
		}
	}
}

func TestStartFails(t *testing.T) {
	a := arena(t, "worker")
	run := func(ctx context.Context) ([]*Result, error) {
		return a.Compare(ctx, Same(start, []load.Side{load.OSFile}), Plan{Time: time.Millisecond, Rounds: 1})
	}
	a.NoStarters = "there is no go command"
	if results, err := run(t.Context()); err != nil || results[0].Unsupported != a.NoStarters {
		t.Errorf("without a program: %v, %v; want that it is unsupported", results, err)
	}
	a.Starters = map[load.Way]string{load.ByOS: script(t, "echo the disk has left >&2; exit 3")}
	if _, err := run(t.Context()); err == nil || err.Error() != "start/4k/1: os.File: exit status 3: the disk has left" {
		t.Errorf("a program that fails: %v; want its status, and what it says", err)
	}
	a.Starters[load.ByOS] = script(t, `[ $# -gt 1 ]`) // fails unless memory is asked for
	if _, err := run(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "start/4k/1: os.File: exit status 1") {
		t.Errorf("a program that fails in a slice: %v; want its status", err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	cancel(enough)
	if _, err := run(ctx); !errors.Is(err, enough) {
		t.Errorf("after its context has ended: %v; want the cause", err)
	}
}
