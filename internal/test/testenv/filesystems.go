package testenv

import (
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/places"
)

// EachFileSystem runs test with a directory on each available kind of file system, and on each
// driver.
func EachFileSystem(t *testing.T, test func(t *testing.T, s *sluice.Scheduler, dir string)) {
	t.Run("disk", func(t *testing.T) { EachDriverIn(t, t.TempDir(), test) })
	t.Run("tmpfs", func(t *testing.T) { EachDriverIn(t, MemoryDir(t), test) })
	if sys.RaceEnabled {
		return // races are independent of the many file systems
	}
	for name, make := range places.FileSystems {
		t.Run(name, func(t *testing.T) { EachDriverIn(t, make(t, 96<<20), test) }) // 96 MiB
	}
}

// EachDriverIn runs test in dir on a Scheduler of each driver.
func EachDriverIn(t *testing.T, dir string, test func(t *testing.T, s *sluice.Scheduler, dir string)) {
	EachDriver(t, func(t *testing.T, s *sluice.Scheduler) { test(t, s, dir) })
}

// SlowDisk returns a directory on a disk that performs 4,000 reads and writes 32 MiB a second. If
// that is impossible, it is an ordinary directory (places.Slow).
func SlowDisk(t testing.TB) (dir string) {
	t.Helper()
	return places.Slow(t, 4000, 32<<20)
}
