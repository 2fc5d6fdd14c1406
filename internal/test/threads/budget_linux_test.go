package threads

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestThreadsInTheKernel has 64 goroutines that write to a device that holds them. As many threads
// may be in the kernel as the budget has for writes: of max(16, GOMAXPROCS) permits, a sixteenth is
// left to each other kind of call. Package os has 64 threads.
func TestThreadsInTheKernel(t *testing.T) {
	const n = 64
	dir := places.FileSystems["ext4"](t, 64<<20)
	for _, driver := range testenv.Drivers {
		for _, procs := range []int{2, 8, 32} {
			t.Run(fmt.Sprint(driver, "/", procs), func(t *testing.T) {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs)) // the Scheduler follows it
				var files []*sluice.File
				for i := range n {
					f, err := s.Create(filepath.Join(dir, fmt.Sprint(i)))
					if err != nil {
						t.Fatal(err)
					}
					defer f.Close()
					files = append(files, f)
				}
				testenv.WaitFor(t, "no thread in the kernel", func() bool { return sleeping(t) == 0 })
				frozen := places.Freeze(t, dir)
				var all sync.WaitGroup
				for _, f := range files {
					all.Go(func() {
						if _, err := f.WriteAt([]byte("text"), 0); err != nil {
							t.Error(err)
						}
					})
				}
				limit := max(16, procs)
				if driver != "uring" {
					limit = 64
				}
				want := limit - 3*limit/16
				testenv.WaitFor(t, "threads in the kernel", func() bool {
					return sleeping(t) == want && testenv.Waiting(s) == n-want
				})
				frozen.Thaw()
				all.Wait()
			})
		}
	}
}

// sleeping counts this process's threads in uninterruptible sleep (state D of proc(5)).
func sleeping(t *testing.T) (n int) {
	t.Helper()
	tasks, err := filepath.Glob("/proc/self/task/*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range tasks {
		if stat, err := os.ReadFile(name); err == nil && bytes.Contains(stat, []byte(") D ")) {
			n++
		}
	}
	return n
}
