package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestLog checks that the log is read back, and that a failed or skipped run is made again.
func TestLog(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	l, err := openLog(name, false)
	if err != nil {
		t.Fatal(err)
	}
	at := time.Date(2026, 11, 23, 21, 0, 0, 0, time.UTC)
	for _, r := range []record{
		{cell: "a b", seed: 1, state: passed, figure: 1000, unit: "operations", took: time.Second, at: at, commit: "abc"},
		{cell: "a b", seed: 2, state: failed, figure: 2000, unit: "operations", took: time.Second, at: at, commit: "abc"},
		{cell: "c", seed: 1, state: skipped, at: at, commit: "abc", why: "loop devices\tneed root"},
	} {
		if err := l.add(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.close(); err != nil {
		t.Fatal(err)
	}
	if l, err = openLog(name, false); err != nil {
		t.Fatal(err)
	}
	defer l.close()
	for _, c := range []struct {
		cell string
		seed uint64
		want bool
	}{{"a b", 1, true}, {"a b", 2, false}, {"c", 1, false}, {"c", 2, false}} {
		if got := l.done(c.cell, c.seed); got != c.want {
			t.Errorf("done(%q, %d) = %t; want %t", c.cell, c.seed, got, c.want)
		}
	}
	f := family{name: "f", cells: []cell{{name: "a b", runs: 2}, {name: "c", runs: 1}, {name: "d", runs: 1}}}
	if !l.failed(f) {
		t.Error("failed = false with a run that failed")
	}
	if l.failed(family{cells: []cell{{name: "c"}}}) {
		t.Error("failed = true for cells without a run that failed")
	}
	var b strings.Builder
	l.print(&b, f)
	want := "f, a b: 3,000 operations, 1 seeds passed (of 2 of a full run), 1 failed, 2 s, commit abc, 2026-11-23\n" +
		"  failed: seed 2\nf, c: skipped: loop devices need root\nf, d: nothing yet\n"
	if b.String() != want {
		t.Errorf("print has\n%swant\n%s", b.String(), want)
	}
	if err := l.add(record{cell: "a b", seed: 2, state: passed, unit: "operations", at: at}); err != nil {
		t.Fatal(err)
	}
	if l.failed(f) {
		t.Error("failed = true after the run was made again and has passed")
	}
}

func TestLogIsDamaged(t *testing.T) {
	name := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(name, []byte("memory\t1\tpassed\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openLog(name, false); err == nil || !strings.Contains(err.Error(), "3 fields; want 9") {
		t.Errorf("openLog = %v; want an error with the number of fields", err)
	}
	l, err := openLog(name, true)
	if err != nil || len(l.records) != 0 {
		t.Fatalf("openLog that forgets = %v, %v", l, err)
	}
	l.close()
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		text  string
		wrong bool
		state string
		why   string
	}{
		{"    fsx_test.go:42: figure: 200 operations\n    fsx_test.go:42: figure: 300 operations\nPASS\n", false, passed, ""},
		{"    fsx_test.go:42: figure: 500 operations\nFAIL\n", true, failed, ""},
		{
			"=== RUN   TestFSX/xfs\n    places_linux.go:60: loop devices need root\n--- PASS: TestFSX (0.00s)\n    --- SKIP: TestFSX/xfs (0.00s)\nPASS\n",
			false, skipped, "loop devices need root",
		},
		{"testing: warning: no tests to run\nPASS\n", false, skipped, "the test made nothing and did not say why"},
	} {
		var r record
		r.judge(c.text, c.wrong)
		figure := int64(0)
		if c.state != skipped {
			figure = 500
		}
		if r.state != c.state || r.why != c.why || r.figure != figure {
			t.Errorf("judge(%q) = %s, %d, %q; want %s, %d, %q", c.text, r.state, r.figure, r.why, c.state, figure, c.why)
		}
	}
}
