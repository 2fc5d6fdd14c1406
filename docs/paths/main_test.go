package main

import (
	"os"
	"runtime"
	"testing"

	"github.com/sluiceio/sluice"
)

// TestPaths checks that all operations are made and counted, and that no file is left.
func TestPaths(t *testing.T) {
	dir := t.TempDir()
	f, d := create(dir)
	defer f.Close()
	defer d.Close()
	s, err := sluice.Default()
	if err != nil {
		t.Fatal(err)
	}
	before := s.Stats()
	read(f, 1)
	write(f, 4)
	read(d, 2)
	after := s.Stats()
	if n := after.BytesRead - before.BytesRead; n != 3000*page {
		t.Errorf("%d bytes were read; want %d", n, 3000*page)
	}
	if n := after.BytesWritten - before.BytesWritten; n != 4 {
		t.Errorf("%d bytes were written; want 4", n)
	}
	ops := after.Cached + after.Plain + after.Queued - before.Cached - before.Plain - before.Queued
	if syncs := 4 - (after.SharedSyncs - before.SharedSyncs); ops < 3004+syncs {
		t.Errorf("%d operations; want at least %d", ops, 3004+syncs)
	}
	if runtime.GOOS != "windows" { // Windows cannot remove an open file
		if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
			t.Errorf("left in the directory: %v, %v", left, err)
		}
	}
}
