package walk

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestNoIdleDirectories copies a deep tree without idle open directories, as with few descriptors.
// Waiting directories must be opened again.
func TestNoIdleDirectories(t *testing.T) {
	src := filepath.Join(t.TempDir(), "tree")
	files := 0
	var fill func(dir string, depth int)
	fill = func(dir string, depth int) {
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for i := range 3 {
			if err := os.WriteFile(filepath.Join(dir, fmt.Sprint("file", i)), []byte(dir), 0o644); err != nil {
				t.Fatal(err)
			}
			files++
			if depth > 0 {
				fill(filepath.Join(dir, fmt.Sprint("dir", i)), depth-1)
			}
		}
	}
	fill(src, 3)
	for _, concurrency := range []int{1, 4} {
		j := newWalk(t, t.Context(), option.Options{Concurrency: concurrency}, at.New())
		j.job.Handles.MaxIdle = 0
		j.queue.Dirs = 2 // makes directories wait for their subdirectories
		dst := filepath.Join(t.TempDir(), "copy")
		if r, err := copyAll(j, option.Pair{Src: src, Dst: dst}); err != nil || int(r.Files) != files {
			t.Errorf("by %d workers: %d files, %v; want %d", concurrency, r.Files, err, files)
		}
		if n := j.job.Handles.Idle(); n != 0 {
			t.Errorf("%d directories are open in the end", n)
		}
	}
}

// TestLinksBetweenManyDirectories makes hard links to files in directories that other workers are
// finishing.
func TestLinksBetweenManyDirectories(t *testing.T) {
	src := t.TempDir()
	const dirs = 300
	name := func(dir, file int) string { return filepath.Join(src, fmt.Sprint(dir), fmt.Sprint(file)) }
	for i := range dirs {
		if err := os.Mkdir(filepath.Dir(name(i, 0)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name(i, i), nil, 0o644); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			continue
		}
		if err := os.Link(name(i-1, i-1), name(i, i-1)); err != nil {
			skip.For(t, skip.Special, "no hard links here: ", err)
		}
	}
	for i := range 6 {
		r, err := run(t, t.Context(), at.New(), filepath.Join(t.TempDir(), "copy"), src, option.Options{
			Preserve: option.PreserveAll, Concurrency: 16,
		})
		if err != nil || r.Links != dirs-1 {
			t.Fatalf("copy %d: %d links, %v; want %d", i, r.Links, err, dirs-1)
		}
	}
}
