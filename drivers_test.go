package sluice_test

import (
	"errors"
	"io/fs"
	"os"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/places"
)

var drivers = []string{"uring", "aio", "pool"}

// scheduler makes a Scheduler, or skips the test where the system does not
// have its driver.
func scheduler(t testing.TB, o sluice.Options) *sluice.Scheduler {
	t.Helper()
	s, err := sluice.NewScheduler(o)
	if missing(err) && o.Driver != "pool" {
		t.Skipf("this system has no %s: %v", o.Driver, err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
			t.Errorf("Close of the scheduler: %v", err)
		}
	})
	return s
}

// missing tells whether err says that a driver is not to be had here.
func missing(err error) bool {
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission)
}

// eachDriver runs test on a Scheduler of each driver.
func eachDriver(t *testing.T, test func(t *testing.T, s *sluice.Scheduler)) {
	for _, name := range drivers {
		t.Run(name, func(t *testing.T) { test(t, scheduler(t, sluice.Options{Driver: name})) })
	}
}

// eachPlace runs test on each driver with a directory on disk, where the page
// cache can be asked without waiting and O_DIRECT aligns, and one in memory,
// where neither is so.
func eachPlace(t *testing.T, test func(t *testing.T, s *sluice.Scheduler, dir string)) {
	eachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		t.Run("disk", func(t *testing.T) { test(t, s, t.TempDir()) })
		t.Run("memory", func(t *testing.T) { test(t, s, memoryDir(t)) })
	})
}

// memoryDir is a temporary directory on tmpfs.
func memoryDir(t testing.TB) string { return places.Memory(t) }
