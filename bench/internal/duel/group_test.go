package duel

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/load"
)

// group counts the processes that are added to it, or refuses all.
type group struct {
	pids map[int]bool
	err  error
}

func (g *group) Add(pid int) error {
	if g.err == nil {
		g.pids[pid] = true
	}
	return g.err
}

// TestGroup checks that each worker is added to the group, and that a failure is an error.
func TestGroup(t *testing.T) {
	a, g := arena(t, "worker"), &group{pids: make(map[int]bool)}
	a.Group = g
	plan := Plan{Time: time.Millisecond, Rounds: 2}
	if _, err := a.Compare(t.Context(), Same(readCached, []load.Side{load.OSFile}), plan); err != nil {
		t.Fatal(err)
	}
	if want := 1 + 1 + 2; len(g.pids) != want { // the setup, the warm-up and the rounds
		t.Errorf("%d processes are in the group; want %d", len(g.pids), want)
	}
	g.err = errors.New("the group is full")
	if _, err := a.Compare(t.Context(), Same(readCached, []load.Side{load.OSFile}), plan); !errors.Is(err, g.err) {
		t.Errorf("Compare = %v; want %v", err, g.err)
	}
}

// TestFillFails has a worker that does not know the load.
func TestFillFails(t *testing.T) {
	err := arena(t, "worker").Fill(t.Context(), Entry{load.Load{Kind: "flood", Goroutines: 1, Records: 1}, load.OSFile}, func(float64) {})
	if err == nil || !strings.Contains(err.Error(), `unknown kind of load "flood"`) {
		t.Errorf("Fill = %v; want the worker's error", err)
	}
}
