package main

import (
	"errors"
	"slices"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestEachReasonHasAProbe(t *testing.T) {
	for _, r := range skip.Machine() {
		if probes[r] == nil {
			t.Errorf("no probe tells whether the machine has %s", r)
		}
	}
	if len(probes) != len(skip.Machine()) {
		t.Errorf("%d probes for %d reasons", len(probes), len(skip.Machine()))
	}
}

func TestAsk(t *testing.T) {
	all := make(map[skip.Reason]func() error)
	for _, r := range skip.Machine() {
		all[r] = func() error { return errors.New("it is\nnot there") }
	}
	all[skip.XFS] = func() error { return nil }
	all[skip.Uring] = func() error { return nil }
	has, lacks := ask(all)
	if want := []string{"uring", "xfs"}; !slices.Equal(has, want) || len(lacks) != len(all)-2 {
		t.Errorf("ask = %q and %d lines; want %q and the rest", has, len(lacks), want)
	}
	if !slices.Contains(lacks, "this machine lacks root: it is not there\n") {
		t.Errorf("lacks = %q; want a line about root", lacks)
	}
}
