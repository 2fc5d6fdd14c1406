package sluice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
)

// held is what a process holds that a Scheduler could leave behind.
type held struct {
	files      []string // what its descriptors are
	mappings   int      // of io_uring and AIO
	goroutines int
}

func heldNow(t *testing.T) (h held) {
	t.Helper()
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip(err)
	}
	for _, fd := range fds {
		if to, err := os.Readlink("/proc/self/fd/" + fd.Name()); err == nil {
			h.files = append(h.files, fd.Name()+" "+to)
		}
	}
	maps, err := os.ReadFile("/proc/self/maps")
	if err != nil {
		t.Skip(err)
	}
	h.mappings = strings.Count(string(maps), "io_uring") + strings.Count(string(maps), "[aio]")
	h.goroutines = runtime.NumGoroutine()
	return h
}

// more says what now holds that h does not.
func (h held) more(now held) (more []string) {
	for _, f := range now.files {
		if !slices.Contains(h.files, f) && !strings.Contains(f, "/proc/") {
			more = append(more, "descriptor "+f)
		}
	}
	if now.mappings > h.mappings {
		more = append(more, fmt.Sprint(now.mappings-h.mappings, " mappings"))
	}
	if now.goroutines > h.goroutines {
		more = append(more, fmt.Sprint(now.goroutines-h.goroutines, " goroutines"))
	}
	return more
}

// TestNothingIsLeft makes Schedulers, works with them and closes them.
func TestNothingIsLeft(t *testing.T) {
	for _, driver := range drivers {
		t.Run(driver, func(t *testing.T) {
			scheduler(t, sluice.Options{Driver: driver}).Close() // what the first one makes for good
			dir := t.TempDir()
			before := heldNow(t)
			for range 5 {
				s := scheduler(t, sluice.Options{Driver: driver})
				f := directOn(t, s, dir, 64*pageSize)
				stop := keepBusy(t, f, 8)
				waitFor(t, "an operation that is queued", func() bool { return driver == "pool" || s.Stats().Queued > 0 })
				stop()
				if now := heldNow(t); driver != "pool" && now.mappings <= before.mappings {
					t.Errorf("%s has no mapping that could be left behind", driver)
				}
				if err := s.Close(); err != nil { // and with it f
					t.Errorf("Close = %v", err)
				}
			}
			var more []string
			waitOr(func() bool { more = before.more(heldNow(t)); return len(more) == 0 },
				func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
		})
	}
}

// TestDroppedFileIsCollected forgets Files without closing them.
func TestDroppedFileIsCollected(t *testing.T) {
	eachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		before := heldNow(t)
		for i := range 10 {
			dropFile(t, s, filepath.Join(dir, fmt.Sprint("dropped", i)))
		}
		var more []string
		waitOr(func() bool {
			runtime.GC()
			more = before.more(heldNow(t))
			return len(more) == 0
		}, func() { t.Errorf("not collected: %s", strings.Join(more, ", ")) })
	})
}

func dropFile(t *testing.T, s *sluice.Scheduler, name string) {
	f, err := s.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(twenty); err != nil {
		t.Fatal(err)
	}
	readTwenty(t, f)
}

// TestDescriptorsAreNotInherited starts a program: it has none of the
// library's descriptors.
func TestDescriptorsAreNotInherited(t *testing.T) {
	eachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := textOn(t, s, t.TempDir())
		readTwenty(t, f)
		out, ok := child(t, "descriptors")
		if !ok || strings.Contains(out, "io_uring") || strings.Contains(out, "eventfd") || strings.Contains(out, f.Name()) {
			t.Errorf("a program has these descriptors: %s", out)
		}
	})
}

func init() {
	children["descriptors"] = func() error {
		fds, err := os.ReadDir("/proc/self/fd")
		for _, fd := range fds {
			to, _ := os.Readlink("/proc/self/fd/" + fd.Name())
			if fd.Name() > "2" && !strings.Contains(to, "eventpoll") {
				fmt.Println(fd.Name(), to)
			}
		}
		return err
	}
}
