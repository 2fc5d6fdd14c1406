package direct_test

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// bounceHogs is how many unaligned transfers of 1 MiB need more memory than all bounce buffers
// have.
const bounceHogs = 80

// readUnaligned makes small unaligned reads. They must not wait for the bounce buffers of other
// operations.
func readUnaligned(t *testing.T, f *direct.File) {
	t.Helper()
	var all sync.WaitGroup
	for i := range int64(20) {
		all.Go(func() {
			if n, err := f.ReadAtContext(t.Context(), make([]byte, 100), 5000*i+1); n != 100 || err != nil {
				t.Errorf("ReadAt beside many that wait = %d, %v; want 100, nil", n, err)
			}
		})
	}
	hang.During(t, all.Wait)
}

// Unaligned writes to a frozen file system must not take all bounce buffers, or unaligned reads of
// other devices would wait. Each device has a quota.
func TestFrozenBounces(t *testing.T) {
	frozen, healthy := places.FileSystems["ext4"](t, 128<<20), places.FileSystems["ext4"](t, 16<<20)
	// Under io_uring a thread that has submitted reads may go on to a write that hangs, and their
	// completions then wait for it: docs/decisions/0012-tied-threads.md.
	s := testenv.Scheduler(t, sluice.Options{Driver: sluice.DriverPool})
	var files []*direct.File
	for _, name := range []string{filepath.Join(frozen, "file"), filepath.Join(healthy, "file")} {
		testenv.Write(t, name, string(testenv.Noise(1<<20)))
		// inside the file, so the blocks are read and written
		if err := os.Truncate(name, (bounceHogs+1)<<20); err != nil {
			t.Fatal(err)
		}
		f, err := direct.OpenOn(s, name, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		files = append(files, f)
	}
	places.SyncFS(t, frozen)
	z := places.Freeze(t, frozen)
	var all sync.WaitGroup
	for i := range int64(bounceHogs) {
		all.Go(func() {
			if _, err := files[0].WriteAt(make([]byte, 1<<20-testenv.PageSize), i<<20+1); err != nil {
				t.Error(err)
			}
		})
	}
	testenv.WaitFor(t, "writers that wait", func() bool { return hang.Parked("writeBounced") == bounceHogs })
	readUnaligned(t, files[1])
	z.Thaw()
	all.Wait()
}

// Unaligned reads that wait for the limit of their class must not take all bounce buffers, or other
// classes would wait. Each class has a quota.
func TestBouncesOfClasses(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	f, _ := testenv.DirectNoise(t, s, 2<<20)
	slow, err := s.Class("slow", sluice.ClassOptions{BytesPerSecond: 1})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(sluice.WithClass(t.Context(), slow))
	var all sync.WaitGroup
	for range bounceHogs {
		all.Go(func() { f.ReadAtContext(ctx, make([]byte, 1<<20), 1) })
	}
	testenv.WaitFor(t, "reads that wait", func() bool { return hang.Parked("readBounced") == bounceHogs })
	readUnaligned(t, f)
	cancel()
	all.Wait()
}
