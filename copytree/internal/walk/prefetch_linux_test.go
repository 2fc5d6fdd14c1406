//go:build amd64 || arm64

package walk

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/pace"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestPrefetch copies small, wide and deep trees as if nothing were cached: prefetchers run from
// the beginning until they find everything cached.
func TestPrefetch(t *testing.T) {
	s := seed.Of(t)
	for i := range uint64(30) {
		dir := memoryDir(t)
		o := treegen.Able(dir)
		o.Nodes = []int{1, 30, 400}[i%3]
		src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
		tree := treegen.Random(s+i, o)
		if err := treegen.Build(src, tree); err != nil {
			t.Fatal(err)
		}
		copyCold(t, dst, src, option.Options{Preserve: option.PreserveAll})
		if found, err := treecmp.Compare(src, dst, keptAspects); len(found) > 0 || err != nil {
			t.Fatalf("tree %d: %v, %v", i, found, err)
		}
	}
}

// copyCold copies with prefetchers from the beginning.
func copyCold(t *testing.T, dst, src string, o option.Options) {
	t.Helper()
	j := newWalk(t, t.Context(), o, at.New())
	j.queue.SetCold(true)
	if _, err := copyAll(j, option.Pair{Dst: dst, Src: src}); err != nil {
		t.Fatal(err)
	}
}

// TestPrefetchLarge copies large files, many in one directory and a few in each other directory.
// Workers help each other with them.
func TestPrefetchLarge(t *testing.T) {
	dir := memoryDir(t)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for i := range 60 {
		in := filepath.Join(src, fmt.Sprint("dir", max(0, i-40)/4))
		write(t, filepath.Join(in, fmt.Sprint("file", i)), strings.Repeat(fmt.Sprintln(i), content.SmallFile/2))
	}
	for i := range 5 {
		copyCold(t, fmt.Sprint(dst, i), src, option.Options{})
		if found, err := treecmp.Compare(src, fmt.Sprint(dst, i), treecmp.Mode); len(found) > 0 || err != nil {
			t.Fatal(found, err)
		}
	}
}

// TestPrefetchWide copies a directory with more files than may be opened ahead, and more
// directories than may wait.
func TestPrefetchWide(t *testing.T) {
	dir := memoryDir(t)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for i := range 3 * maxOpenAhead {
		write(t, filepath.Join(src, fmt.Sprint("file", i)), fmt.Sprint(i))
	}
	for i := range 2 * maxWaitingDirs {
		if err := os.Mkdir(filepath.Join(src, fmt.Sprint("dir", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, copyIt := range map[string]func(dst string){
		"cold": func(dst string) { copyCold(t, dst, src, option.Options{}) },
		"hot": func(dst string) {
			if _, err := run(t, t.Context(), at.New(), dst, src, option.Options{}); err != nil {
				t.Fatal(err)
			}
		},
	} {
		copyIt(dst + name)
		if found, err := treecmp.Compare(src, dst+name, treecmp.Mode); len(found) > 0 || err != nil {
			t.Errorf("%s: %v, %v", name, found, err)
		}
	}
}

// TestQueueBound copies a directory with more directories than may wait. The worker must copy some
// of them first, and then read on.
func TestQueueBound(t *testing.T) {
	dir := memoryDir(t)
	src := filepath.Join(dir, "src")
	const wide, room = 3000, 64
	for i := range wide {
		if err := os.MkdirAll(filepath.Join(src, fmt.Sprint("dir", i), "in"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	j := newWalk(t, t.Context(), option.Options{}, at.New())
	j.queue.Dirs = room
	var mu sync.Mutex
	most := 0
	j.sys.Kernel.Fault = func(string) error {
		mu.Lock()
		defer mu.Unlock()
		most = max(most, j.queue.Waiting())
		return nil
	}
	dst := filepath.Join(dir, "dst")
	r, err := copyAll(j, option.Pair{Dst: dst, Src: src})
	if err != nil || r.Dirs != 2*wide+1 {
		t.Errorf("Copy = %d directories, %v; want %d", r.Dirs, err, 2*wide+1)
	}
	if most > room+j.queue.Workers || most < room-j.queue.Workers {
		t.Errorf("%d directories waited; want %d, or a few more", most, room)
	}
	if found, err := treecmp.Compare(src, dst, treecmp.Mode); len(found) > 0 || err != nil {
		t.Error(found, err)
	}
}

// TestOnWait checks that OnWait is called once for large files and for a cold tree, and not for
// small files in memory.
func TestOnWait(t *testing.T) {
	dir := memoryDir(t)
	src := filepath.Join(dir, "src")
	write(t, filepath.Join(src, "in", "file"), "text")
	calls := 0
	o := option.Options{OnWait: func() { calls++ }}
	if _, err := run(t, t.Context(), at.New(), filepath.Join(dir, "hot"), src, o); err != nil || calls != 0 {
		t.Errorf("%d calls for small files in memory, %v; want 0", calls, err)
	}
	large := filepath.Join(dir, "large")
	write(t, filepath.Join(large, "a"), strings.Repeat("a", content.SmallFile+1))
	write(t, filepath.Join(large, "b"), strings.Repeat("b", content.SmallFile+1))
	if _, err := run(t, t.Context(), at.New(), filepath.Join(dir, "hotlarge"), large, o); err != nil || calls != 1 {
		t.Errorf("%d calls for two large files, %v; want 1", calls, err)
	}
	calls = 0
	j := newWalk(t, t.Context(), o, at.New())
	j.queue.SetCold(true)
	_, err := copyAll(j, option.Pair{Dst: filepath.Join(dir, "cold"), Src: src}, option.Pair{Dst: filepath.Join(dir, "again"), Src: src})
	if err != nil || calls != 1 {
		t.Errorf("%d calls for two cold trees, %v; want 1", calls, err)
	}
}

// TestNotesReads checks that a worker counts whether the page cache had the data of a small file.
func TestNotesReads(t *testing.T) {
	dir := t.TempDir()
	src := filepath.Join(dir, "src")
	write(t, src, "text")
	f, err := os.Open(src)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	drop := func() {
		t.Helper()
		if err := errors.Join(f.Sync(), unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED)); err != nil {
			t.Fatal(err)
		}
	}
	j := newWalk(t, t.Context(), option.Options{Reflink: option.ReflinkNever}, at.New())
	w := newWorker(j, 0)
	drop()
	if found := j.sys.Kernel.ReadCached(int(f.Fd()), make([]byte, 1)); found != at.CacheMiss {
		skip.For(t, skip.Chance, "the file stays in memory")
	}
	if _, err := os.ReadFile(src); err != nil {
		t.Fatal(err)
	}
	j.copyPair(w, &option.Pair{Dst: filepath.Join(dir, "hot"), Src: src})
	if !w.maker.Misses.Hot(1) || w.maker.Counts.Files != 1 {
		t.Errorf("%d files, no hit counted for data in memory; want 1 file and a hit", w.maker.Counts.Files)
	}
	hang.Watch(t)
	// The kernel does not drop a page that is in use, so this is tried until a miss is counted.
	for try := 1; w.maker.Misses.Hot(1); try++ {
		drop()
		j.copyPair(w, &option.Pair{Dst: filepath.Join(dir, fmt.Sprint("cold", try)), Src: src})
		if int(w.maker.Counts.Files) != 1+try {
			t.Fatalf("%d files; want %d", w.maker.Counts.Files, 1+try)
		}
	}
}

// TestPool checks that prefetchers are started after a miss of the page cache, once for each tree.
func TestPool(t *testing.T) {
	j := newWalk(t, t.Context(), option.Options{}, at.New())
	if j.queue.Prefetchers == 0 {
		skip.For(t, skip.Limits, "there are no prefetchers with so few descriptors")
	}
	w := newWorker(j, 0)
	w.pool = &pool{walk: j}
	w.pool.start() // there is nothing to copy, so all of them end at once
	if n := len(w.pool.workers); n != j.queue.Workers-1 {
		t.Errorf("%d goroutines are started in memory; want the %d other workers", n, j.queue.Workers-1)
	}
	for range pace.ColdAt + 2 {
		w.maker.NoteCache(at.CacheMiss)
	}
	w.pool.wait(&w.maker.Counts)
	if n, want := len(w.pool.workers), j.queue.Workers-1+j.queue.ColdWorkers+j.queue.Prefetchers; n != want || !j.queue.Cold() {
		t.Errorf("%d goroutines are started from a disk, and Cold = %t; want %d, true", n, j.queue.Cold(), want)
	}
}
