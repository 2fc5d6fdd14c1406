package main

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestRecordings: the name of the directory is no pattern.
func TestRecordings(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[1]*?")
	if filepath.Separator == '\\' {
		dir = filepath.Join(t.TempDir(), "a[1]") // a name has no * and ? there
	}
	want := []string{filepath.Join(dir, "4711"), filepath.Join(dir, "4712")}
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range want {
		if err := os.WriteFile(name, nil, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := recordings(dir); err != nil || !slices.Equal(got, want) {
		t.Errorf("recordings = %q, %v; want %q", got, err, want)
	}
	if got := recording(dir); len(got) != 0 {
		t.Errorf("processes %q record; want none", got)
	}
	if _, err := recordings(filepath.Join(dir, "nowhere")); err == nil {
		t.Error("recordings of no directory succeeds")
	}
}
