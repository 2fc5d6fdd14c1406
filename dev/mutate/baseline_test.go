package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// TestReach checks that the tests that run a statement are found by their profiles, the fastest
// first.
func TestReach(t *testing.T) {
	b := &baseline{}
	for i, text := range []string{
		"mode: set\n" + module + "/p/p.go:3.30,5.10 2 1\n" + module + "/p/p.go:5.10,7.3 1 0\n",
		"mode: set\n" + module + "/p/p.go:5.10,7.3 1 1\n" + module + "/p/q.go:3.30,5.10 2 1\n",
	} {
		profile := filepath.Join(t.TempDir(), "profile")
		if err := os.WriteFile(profile, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		reaches, err := readProfile(profile)
		if err != nil {
			t.Fatal(err)
		}
		b.tests = append(b.tests, test{name: string(rune('A' + i)), reaches: reaches})
	}
	p := &pkg{ImportPath: module + "/p"}
	for _, c := range []struct {
		file         string
		line, column int
		want         []string
	}{
		{"p.go", 3, 29, []string{}},
		{"p.go", 3, 30, []string{"A"}},
		{"p.go", 4, 1, []string{"A"}},
		{"p.go", 5, 9, []string{"A"}},
		{"p.go", 5, 10, []string{"B"}},
		{"p.go", 7, 3, []string{}},
		{"q.go", 4, 1, []string{"B"}},
	} {
		m := mutation{pkg: p, file: c.file, line: c.line, column: c.column}
		if got := names(b.reach(m)); !slices.Equal(got, c.want) {
			t.Errorf("%s:%d:%d: tests %q; want %q", c.file, c.line, c.column, got, c.want)
		}
	}
}

// TestFitting checks that if time is short, some tests of a package are chosen if they are known to
// reach the statement. Otherwise all or none are.
func TestFitting(t *testing.T) {
	tests := []test{{name: "A", took: time.Second}, {name: "B", took: 2 * time.Second}}
	for _, c := range []struct {
		left time.Duration
		some bool
		want int
	}{
		{3 * time.Second, false, 2},
		{2 * time.Second, false, 0},
		{2 * time.Second, true, 1},
		{0, true, 0},
	} {
		if got := len(fitting(tests, c.left, c.some)); got != c.want {
			t.Errorf("with %v, some %v: %d tests; want %d", c.left, c.some, got, c.want)
		}
	}
}

func TestSplit(t *testing.T) {
	tests := []test{{name: "A", took: time.Second}, {name: "B", took: 2 * time.Second}}
	for i, limit := range []time.Duration{0, time.Second, 2 * time.Second} {
		quick, long := split(tests, limit)
		if !slices.Equal(names(quick), names(tests[:i])) || !slices.Equal(names(long), names(tests[i:])) {
			t.Errorf("up to %v: %q, and longer: %q; want the first %d", limit, names(quick), names(long), i)
		}
	}
}
