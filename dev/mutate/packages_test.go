package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestTestsOf checks that the root's tests come after the package's, and before nearer packages.
func TestTestsOf(t *testing.T) {
	p := &pkg{ImportPath: module + "/internal/p"}
	q := func(rel string, distance int) *pkg {
		return &pkg{ImportPath: module + rel, TestGoFiles: []string{"x_test.go"}, distance: map[*pkg]int{p: distance}}
	}
	p.TestGoFiles, p.distance = []string{"p_test.go"}, map[*pkg]int{p: 0}
	var got []string
	for _, tests := range testsOf(p, []*pkg{q("/batch", 2), q("/internal/test/soak", 3), q("/internal/test/files", 3), q("/near", 1), p, q("", 2)}) {
		got = append(got, tests.rel())
	}
	if want := []string{"internal/p", "internal/test/files", "", "near", "batch", "internal/test/soak"}; !slices.Equal(got, want) {
		t.Errorf("testsOf = %q; want %q", got, want)
	}
}

func TestThemesExist(t *testing.T) {
	for _, theme := range themes {
		if _, err := os.Stat(filepath.Join("..", "..", "internal", "test", theme, "doc.go")); err != nil {
			t.Error(err)
		}
	}
}
