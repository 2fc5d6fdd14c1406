package sluice_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sluicetest"
)

// TestNothingIsLeft makes Schedulers, works with them and closes them.
func TestNothingIsLeft(t *testing.T) {
	for _, driver := range sluicetest.Drivers {
		t.Run(driver, func(t *testing.T) {
			sluicetest.Scheduler(t, sluice.Options{Driver: driver}).Close() // what the first one makes for good
			dir := t.TempDir()
			before := sluicetest.HeldNow(t)
			for range 5 {
				s := sluicetest.Scheduler(t, sluice.Options{Driver: driver})
				f := sluicetest.DirectOn(t, s, dir, 64*sluicetest.PageSize)
				stop := sluicetest.KeepBusy(t, f, 8)
				sluicetest.WaitFor(t, "an operation that is queued", func() bool { return driver == "pool" || s.Stats().Queued > 0 })
				stop()
				if now := sluicetest.HeldNow(t); driver != "pool" && now.Mappings <= before.Mappings {
					t.Errorf("%s has no mapping that could be left behind", driver)
				}
				if err := s.Close(); err != nil { // and with it f
					t.Errorf("Close = %v", err)
				}
			}
			var more []string
			sluicetest.WaitOr(func() bool { more = before.More(sluicetest.HeldNow(t)); return len(more) == 0 },
				func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
		})
	}
}

// TestDroppedFileIsCollected forgets Files without closing them.
func TestDroppedFileIsCollected(t *testing.T) {
	sluicetest.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		before := sluicetest.HeldNow(t)
		for i := range 10 {
			dropFile(t, s, filepath.Join(dir, fmt.Sprint("dropped", i)))
		}
		var more []string
		sluicetest.WaitOr(func() bool {
			runtime.GC()
			more = before.More(sluicetest.HeldNow(t))
			return len(more) == 0
		}, func() { t.Errorf("not collected: %s", strings.Join(more, ", ")) })
	})
}

func dropFile(t *testing.T, s *sluice.Scheduler, name string) {
	f, err := s.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(sluicetest.Twenty); err != nil {
		t.Fatal(err)
	}
	sluicetest.ReadTwenty(t, f)
}

// TestDescriptorsAreNotInherited starts a program: it has none of the
// library's descriptors.
func TestDescriptorsAreNotInherited(t *testing.T) {
	sluicetest.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := sluicetest.TextOn(t, s, t.TempDir())
		sluicetest.ReadTwenty(t, f)
		out, ok := sluicetest.Child(t, "descriptors")
		if !ok || strings.Contains(out, "io_uring") || strings.Contains(out, "eventfd") || strings.Contains(out, f.Name()) {
			t.Errorf("a program has these descriptors: %s", out)
		}
	})
}

func init() {
	sluicetest.Children["descriptors"] = func() error {
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
