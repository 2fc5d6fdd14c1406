//go:build amd64 || arm64

package copytree

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
	"github.com/sluiceio/sluice/copytree/internal/treegen"
	"github.com/sluiceio/sluice/internal/seed"
)

// TestScouts copies trees as if the caches had nothing of them: the scouts go
// ahead from the beginning, in trees that are small, wide and deep, until they
// find that all is there.
func TestScouts(t *testing.T) {
	s := seed.Of(t)
	for i := range uint64(30) {
		dir := memory(t)
		o := treegen.Able(dir)
		o.Nodes = []int{1, 30, 400}[i%3]
		src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
		tree := treegen.Random(s+i, o)
		if err := treegen.Build(src, tree); err != nil {
			t.Fatal(err)
		}
		copyCold(t, dst, src, Options{Preserve: PreserveAll})
		if found, err := treecmp.Compare(src, dst, keptAspects); len(found) > 0 || err != nil {
			t.Fatalf("tree %d: %v, %v", i, found, err)
		}
	}
}

// copyCold copies with scouts from the beginning.
func copyCold(t *testing.T, dst, src string, o Options) {
	t.Helper()
	j, err := newJob(t.Context(), o, at.New())
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	j.queue.setCold(true)
	if _, err := j.copy([]Pair{{Dst: dst, Src: src}}); err != nil {
		t.Fatal(err)
	}
}

// TestLargeScouts copies large files, many in one directory and a few in each of
// others, which spares help with.
func TestLargeScouts(t *testing.T) {
	dir := memory(t)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for i := range 60 {
		in := filepath.Join(src, fmt.Sprint("dir", max(0, i-40)/4))
		write(t, filepath.Join(in, fmt.Sprint("file", i)), strings.Repeat(fmt.Sprintln(i), smallFile/2))
	}
	for i := range 5 {
		copyCold(t, fmt.Sprint(dst, i), src, Options{})
		if found, err := treecmp.Compare(src, fmt.Sprint(dst, i), treecmp.Mode); len(found) > 0 || err != nil {
			t.Fatal(found, err)
		}
	}
}

// TestWideScouts has more files in a directory than are opened ahead, and more
// directories than wait.
func TestWideScouts(t *testing.T) {
	dir := memory(t)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for i := range 3 * aheadMost {
		write(t, filepath.Join(src, fmt.Sprint("file", i)), fmt.Sprint(i))
	}
	for i := range 2 * queuedMost {
		if err := os.Mkdir(filepath.Join(src, fmt.Sprint("dir", i)), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, copyIt := range map[string]func(dst string){
		"cold": func(dst string) { copyCold(t, dst, src, Options{}) },
		"hot": func(dst string) {
			if _, err := Copy(t.Context(), dst, src, Options{}); err != nil {
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

// TestQueueBound has a directory of so many directories that they must not all
// wait: the reader goes into them first, and comes back to where it was.
func TestQueueBound(t *testing.T) {
	dir := memory(t)
	src := filepath.Join(dir, "src")
	const wide, room = 3000, 64
	for i := range wide {
		if err := os.MkdirAll(filepath.Join(src, fmt.Sprint("dir", i), "in"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	j, err := newJob(t.Context(), Options{}, at.New())
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	j.queue.queued = room
	most := 0
	j.kernel.Fault = func(string) error {
		j.queue.mu.Lock()
		defer j.queue.mu.Unlock()
		most = max(most, j.queue.found)
		return nil
	}
	dst := filepath.Join(dir, "dst")
	r, err := j.copy([]Pair{{Dst: dst, Src: src}})
	if err != nil || r.Dirs != 2*wide+1 {
		t.Errorf("Copy = %d directories, %v; want %d", r.Dirs, err, 2*wide+1)
	}
	if most > room+j.queue.workers || most < room/2 {
		t.Errorf("%d directories waited; want %d, or a few more", most, room)
	}
	if found, err := treecmp.Compare(src, dst, treecmp.Mode); len(found) > 0 || err != nil {
		t.Error(found, err)
	}
}

// TestOnWait: it is told once, of large files and of what is on a disk, and not where
// all is small and in memory.
func TestOnWait(t *testing.T) {
	dir := memory(t)
	src := filepath.Join(dir, "src")
	write(t, filepath.Join(src, "in", "file"), "text")
	told := 0
	o := Options{OnWait: func() { told++ }}
	if _, err := Copy(t.Context(), filepath.Join(dir, "hot"), src, o); err != nil || told != 0 {
		t.Errorf("told %d times of what is in memory, %v; want never", told, err)
	}
	large := filepath.Join(dir, "large")
	write(t, filepath.Join(large, "a"), strings.Repeat("a", smallFile+1))
	write(t, filepath.Join(large, "b"), strings.Repeat("b", smallFile+1))
	if _, err := Copy(t.Context(), filepath.Join(dir, "hotlarge"), large, o); err != nil || told != 1 {
		t.Errorf("told %d times of two large files, %v; want once", told, err)
	}
	told = 0
	j, err := newJob(t.Context(), o, at.New())
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	j.queue.setCold(true)
	pairs := []Pair{{Dst: filepath.Join(dir, "cold"), Src: src}, {Dst: filepath.Join(dir, "again"), Src: src}}
	if _, err := j.copy(pairs); err != nil || told != 1 {
		t.Errorf("told %d times of two trees that are not, %v; want once", told, err)
	}
}

// TestCrew: scouts and spares are there from when they are needed, once for each
// tree.
func TestCrew(t *testing.T) {
	j, err := newJob(t.Context(), Options{}, at.New())
	if err != nil {
		t.Fatal(err)
	}
	defer j.close()
	if j.queue.scouts == 0 {
		t.Skip("there are no scouts with so few descriptors")
	}
	w := newWorker(j, 0)
	w.crew = &crew{job: j}
	w.crew.start() // of nothing, so that all end at once
	if n := len(w.crew.all); n != j.queue.workers-1 {
		t.Errorf("%d are started in memory; want the %d other workers", n, j.queue.workers-1)
	}
	for range coldAt + 2 {
		w.noteCache(at.CacheMiss)
	}
	w.crew.wait(&w.counts)
	if n, want := len(w.crew.all), j.queue.workers-1+j.queue.scouts+j.queue.spare; n != want || !j.queue.isCold() {
		t.Errorf("%d are started from a disk, which is noticed: %t; want %d", n, j.queue.isCold(), want)
	}
}
