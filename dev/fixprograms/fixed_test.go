package main

import (
	"slices"
	"testing"
)

// TestReadFixed parses the output of `sluice fix`. Staying calls must be counted, also those
// without a name.
func TestReadFixed(t *testing.T) {
	const one = "a.go:1:2: os.Open stays: os.Stdin is an *os.File (a.go:3:4)"
	const six = "b.go:1:2: os.Open, b.go:2:2: os.Create, b.go:3:2: os.Open, b.go:4:2: os.Open and 2 more stay: X"
	const note = "note: one, two"
	f, err := readFixed("changed 23 calls and 1 type in 4 files\n" + one + "\n" + six + "\n" + note + "\nnext: go get it\n")
	if err != nil {
		t.Fatal(err)
	}
	if f.Calls != 23 || f.Types != 1 || f.Files != 4 || f.Stay != 7 || !slices.Equal(f.Said, []string{one, six, note}) {
		t.Errorf("readFixed = %+v; want 23, 1, 4, 7 calls that stay, and three lines", f)
	}
	const tests = "verified: 10 tests passed, 2 failed, 4 skipped before the change; 11 passed, 3 failed, 5 skipped after it\nflaky before the change, and not compared: a TestX\ndiffers after the change, but not when it runs alone: a TestY: pass before, fail after\n"
	if f, err = readFixed("changed 1 call and 0 types in 1 file\n" + tests + "note: go.mod takes package sluice from /x\n"); err != nil {
		t.Fatal(err)
	}
	if f.Before != [3]int{10, 2, 4} || f.After != [3]int{11, 3, 5} || !slices.Equal(f.Flaky, []string{"a TestX"}) ||
		!slices.Equal(f.Alone, []string{"a TestY: pass before, fail after"}) || len(f.Said) > 0 {
		t.Errorf("readFixed = %+v; want 10, 2, 4 tests before, 11, 3, 5 after, a TestX flaky, a TestY that differs except alone, and no line", f)
	}
	for text, want := range map[string][2][3]int{
		"verified: 1 test passed before the change; 2 passed after it":                       {{1}, {2}},
		"verified: 0 tests passed, 3 skipped before the change; 4 passed, 5 failed after it": {{0, 0, 3}, {4, 5}},
	} {
		if f, err = readFixed("changed 1 call and 0 types in 1 file\n" + text + "\n"); err != nil || f.Before != want[0] || f.After != want[1] {
			t.Errorf("readFixed(%q) = %+v, %v; want %v", text, f, err, want)
		}
	}
	if f, err = readFixed("differs: a TestX: pass before, fail after\n    x\ndiffers: b: pass before, not run after\n"); err != nil || len(f.Differ) != 2 {
		t.Errorf("readFixed of differences = %+v, %v; want two", f, err)
	}
	if f, err = readFixed("nothing to change\n"); err != nil || f.Files != 0 || len(f.Said) > 0 {
		t.Errorf("readFixed of nothing = %+v, %v; want no file and no line", f, err)
	}
	for _, text := range []string{"", "sluice: failed\n", "nothing to change\na.go: odd\n"} {
		if f, err := readFixed(text); err == nil {
			t.Errorf("readFixed(%q) = %+v; want an error", text, f)
		}
	}
}
