package closing

import (
	"fmt"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestNothingIsLeft makes Schedulers, works with them and closes them.
func TestNothingIsLeft(t *testing.T) {
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			// Makes what stays for good.
			testenv.Scheduler(t, sluice.Options{Driver: driver}).Close()
			dir := t.TempDir()
			before := testenv.HeldNow(t)
			for range 5 {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				f := testenv.DirectOn(t, s, dir, 64*testenv.PageSize)
				stop := testenv.KeepBusy(t, f, 8)
				testenv.WaitFor(t, "an operation that is queued", func() bool { return driver == "pool" || s.Stats().Queued > 0 })
				stop()
				if now := testenv.HeldNow(t); driver != "pool" && now.Mappings <= before.Mappings {
					t.Errorf("%s has no mapping that could be left behind", driver)
				}
				if err := s.Close(); err != nil { // also closes f
					t.Errorf("Close = %v", err)
				}
			}
			var more []string
			testenv.WaitOr(func() bool { more = before.More(testenv.HeldNow(t)); return len(more) == 0 },
				func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
		})
	}
}

// TestDroppedFileIsCollected forgets Files without closing them.
func TestDroppedFileIsCollected(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		dir := t.TempDir()
		before := testenv.HeldNow(t)
		for i := range 10 {
			dropFile(t, s, filepath.Join(dir, fmt.Sprint("dropped", i)))
		}
		var more []string
		testenv.WaitOr(func() bool {
			runtime.GC()
			more = before.More(testenv.HeldNow(t))
			return len(more) == 0
		}, func() { t.Errorf("not collected: %s", strings.Join(more, ", ")) })
	})
}

func dropFile(t *testing.T, s *sluice.Scheduler, name string) {
	f, err := s.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(testenv.Twenty); err != nil {
		t.Fatal(err)
	}
	testenv.ReadTwenty(t, f)
}

// TestDescriptorsAreNotInherited checks that a started program has none of the library's
// descriptors.
func TestDescriptorsAreNotInherited(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.TextOn(t, s, t.TempDir())
		testenv.ReadTwenty(t, f)
		out, ok := testenv.Child(t, "descriptors")
		if !ok || strings.Contains(out, "io_uring") || strings.Contains(out, "eventfd") || strings.Contains(out, f.Name()) {
			t.Errorf("a program has these descriptors: %s", out)
		}
	})
}
