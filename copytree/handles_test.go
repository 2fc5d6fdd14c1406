package copytree

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// TestForgetLeavesWhatIsUsed: a directory that is done may be used by who makes a
// hard link to what is in it.
func TestForgetLeavesWhatIsUsed(t *testing.T) {
	h := &handles{kernel: at.New(), most: 4}
	d := &dir{handle: handle{src: -1, dst: -1}}
	src, dst := openBase(t, h.kernel), openBase(t, h.kernel)
	h.opened(d, src, dst)
	h.forget(h.kernel, d)
	if d.src != src || d.dst != dst {
		t.Fatalf("descriptors %d, %d of a directory in use; want %d, %d", d.src, d.dst, src, dst)
	}
	h.unuse(d)
	h.forget(h.kernel, d)
	if d.src >= 0 || d.dst >= 0 || h.idle.Len() != 0 {
		t.Errorf("descriptors %d, %d, %d idle of a directory that nobody uses; want none", d.src, d.dst, h.idle.Len())
	}
}

// TestHandlesCloseAllInTheEnd, also what was used when it was forgotten.
func TestHandlesCloseAllInTheEnd(t *testing.T) {
	h := &handles{kernel: at.New(), most: 4}
	d := &dir{handle: handle{src: -1, dst: -1}}
	h.opened(d, openBase(t, h.kernel), openBase(t, h.kernel))
	h.forget(h.kernel, d)
	h.unuse(d)
	if h.forgetAll(); d.src >= 0 || d.dst >= 0 {
		t.Errorf("descriptors %d, %d are open in the end", d.src, d.dst)
	}
}

func openBase(t *testing.T, k *at.Kernel) int {
	t.Helper()
	fd, err := k.OpenBase(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return fd
}

// TestNoIdleDirectories copies a deep tree where no directory stays open that is not
// in use, as with few descriptors: those of one that waited are opened again.
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
		j, err := newJob(t.Context(), Options{Concurrency: concurrency}, at.New())
		if err != nil {
			t.Fatal(err)
		}
		defer j.close()
		j.handles.most = 0
		j.queue.queued = 2 // so that directories wait for those within
		dst := filepath.Join(t.TempDir(), "copy")
		if r, err := j.copy([]Pair{{Src: src, Dst: dst}}); err != nil || int(r.Files) != files {
			t.Errorf("by %d workers: %d files, %v; want %d", concurrency, r.Files, err, files)
		}
		if n := j.handles.idle.Len(); n != 0 {
			t.Errorf("%d directories are open in the end", n)
		}
	}
}

// TestLinksBetweenManyDirectories has workers make links to files of directories
// that others are just done with.
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
			t.Skip("no hard links here: ", err)
		}
	}
	for i := range 6 {
		r, err := Copy(t.Context(), filepath.Join(t.TempDir(), "copy"), src, Options{Preserve: PreserveAll, Concurrency: 16})
		if err != nil || r.Links != dirs-1 {
			t.Fatalf("copy %d: %d links, %v; want %d", i, r.Links, err, dirs-1)
		}
	}
}
