package testenv

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// Drivers are the names of the drivers.
var Drivers = []string{"uring", "aio", "pool"}

// Scheduler makes a Scheduler. It skips the test if the system lacks the driver.
func Scheduler(t testing.TB, o sluice.Options) *sluice.Scheduler {
	t.Helper()
	s, err := sluice.NewScheduler(o)
	return closedAtEnd(t, o, s, err)
}

// SchedulerWith is Scheduler with options of the core. Govern defaults to false: then nothing that
// can be queued is a plain call by choice.
func SchedulerWith(t testing.TB, core sched.Options, o sluice.Options) *sluice.Scheduler {
	t.Helper()
	s, err := inside.New(handle.Parts{Core: core}, o)
	return closedAtEnd(t, o, s, err)
}

func closedAtEnd(t testing.TB, o sluice.Options, s *sluice.Scheduler, err error) *sluice.Scheduler {
	t.Helper()
	if Missing(err) && o.Driver != "pool" {
		skip.ForDriver(t, o.Driver, err)
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

// Missing reports whether err means that this system lacks a driver, or memory for it. A ring's
// memory counts against RLIMIT_MEMLOCK (before Linux 5.12, and from 6.14 on), which all processes
// of a user share. Root has no such limit.
func Missing(err error) bool {
	noMemory := errors.Is(err, syscall.ENOMEM) && os.Getuid() != 0
	return errors.Is(err, errors.ErrUnsupported) || errors.Is(err, fs.ErrPermission) || noMemory
}

// EachDriver runs test on a Scheduler of each driver.
func EachDriver(t *testing.T, test func(t *testing.T, s *sluice.Scheduler)) {
	for _, name := range Drivers {
		t.Run(name, func(t *testing.T) { test(t, Scheduler(t, sluice.Options{Driver: name})) })
	}
}

// EachPlace runs test on each driver, with a directory on disk and with one in memory. Cached reads
// and the alignment of O_DIRECT exist only on disk.
func EachPlace(t *testing.T, test func(t *testing.T, s *sluice.Scheduler, dir string)) {
	EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		t.Run("disk", func(t *testing.T) { test(t, s, t.TempDir()) })
		t.Run("memory", func(t *testing.T) { test(t, s, MemoryDir(t)) })
	})
}

// MemoryDir returns a temporary directory on tmpfs.
func MemoryDir(t testing.TB) string { return places.Memory(t) }

// PlaceDir returns a temporary directory in the place that a flag of the test names: "memory",
// "disk" for t.TempDir, or a file system of package places, of this size. A complaint of the kernel
// about the file system fails the test.
func PlaceDir(t testing.TB, flag, place string, size int64) string {
	t.Helper()
	switch place {
	case "memory":
		return MemoryDir(t)
	case "disk":
		return t.TempDir()
	}
	system, ok := places.FileSystems[place]
	if !ok {
		t.Fatalf("-%s=%s: there is no such place on this system", flag, place)
	}
	dir := system(t, size)
	places.WatchKernel(t, dir)
	return dir
}

// SchedulerOn returns a Scheduler on the test's driver. Operations that the driver calls
// asynchronous are queued into it.
func SchedulerOn(drv driver.Driver) *sluice.Scheduler { return SchedulerOnWrapped(drv, nil) }

// SchedulerOnWrapped is SchedulerOn with plain calls that wrap replaces (see sched.Options).
func SchedulerOnWrapped(drv driver.Driver, wrap func(iopath.Caller) iopath.Caller) *sluice.Scheduler {
	s, err := inside.New(handle.Parts{Core: sched.Options{Wrap: wrap}, Driver: drv}, sluice.Options{Threads: 4})
	if err != nil {
		panic(err)
	}
	return s
}
