package main

import (
	"slices"
	"strings"
	"testing"
)

// TestParseStress checks which flags are those of --stress, and which are go test's or the tests'.
func TestParseStress(t *testing.T) {
	for _, c := range []struct {
		args, rest string // separated by spaces
		on, short  bool
		seed       uint64 // 0: any
		err        string
	}{
		{"./...", "./...", false, false, 0, ""},
		{"-seed=3 ./...", "-seed=3 ./...", false, false, 0, ""},
		{"./... -args --stress", "./... -args --stress", false, false, 0, ""},
		{"--stress ./...", "./...", true, false, 0, ""},
		{"-stress -seed 3 -run=X ./...", "-run=X ./...", true, false, 3, ""},
		{"-C dir ./... --stress --seed=4 --short-reads -v -args -seed=5", "-C dir ./... -v -args -seed=5", true, true, 4, ""},
		{"--stress=false --seed=4 .", "--stress=false --seed=4 .", false, false, 0, ""},
		{"--stress --short-reads=false -- --seed", "-- --seed", true, false, 0, ""},
		{"--short-reads ./...", "--short-reads ./...", false, false, 0, "--short-reads is for --stress"},
		{"--stress=false --short-reads .", "--stress=false --short-reads .", false, false, 0, "--short-reads is for --stress"},
		{"--short-reads=false .", "--short-reads=false .", false, false, 0, ""},
		{". -args --short-reads", ". -args --short-reads", false, false, 0, ""},
		{"--stress --seed", "", true, false, 0, `--seed: ""`},
		{"--stress --seed=x .", ".", true, false, 0, `--seed: "x"`},
		{"--stress --short-reads=x .", ".", true, true, 0, `--short-reads: "x"`},
	} {
		s, rest, err := parseStress(strings.Fields(c.args))
		if (s != nil) != c.on || !slices.Equal(rest, strings.Fields(c.rest)) {
			t.Errorf("%s: stress %t, rest %q; want %t, %q", c.args, s != nil, rest, c.on, c.rest)
			continue
		}
		if got := err; (got == nil) != (c.err == "") || got != nil && !strings.HasPrefix(got.Error(), c.err) {
			t.Errorf("%s: error %v; want %q", c.args, got, c.err)
		}
		if s != nil && (s.shortReads != c.short || c.seed != 0 && s.seed != c.seed) {
			t.Errorf("%s: seed %d, short reads %t; want %d, %t", c.args, s.seed, s.shortReads, c.seed, c.short)
		}
	}
}

func TestTestsOf(t *testing.T) {
	packages, pattern := testsOf([]string{"x/a TestB/sub", "x/a TestA", "x/b TestB"})
	if !slices.Equal(packages, []string{"x/a", "x/b"}) || pattern != "^(TestA|TestB)$" {
		t.Errorf("testsOf = %q, %q", packages, pattern)
	}
	if packages, pattern = testsOf([]string{"x/a TestA", "x/b"}); len(packages) != 2 || pattern != "" {
		t.Errorf("testsOf with a package = %q, %q; want all of its tests", packages, pattern)
	}
}
