package sluice_test

import (
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
)

// eachFileSystem runs test with a directory on each kind of file system that
// can be had here, and on each driver.
func eachFileSystem(t *testing.T, test func(t *testing.T, s *sluice.Scheduler, dir string)) {
	t.Run("disk", func(t *testing.T) { eachDriverIn(t, t.TempDir(), test) })
	t.Run("tmpfs", func(t *testing.T) { eachDriverIn(t, memoryDir(t), test) })
	if sys.RaceEnabled {
		return // races are ours, not the file systems', and those are many
	}
	for name, make := range fileSystems {
		t.Run(name, func(t *testing.T) { eachDriverIn(t, make(t, 96<<20), test) }) // 96 MiB
	}
}

func eachDriverIn(t *testing.T, dir string, test func(t *testing.T, s *sluice.Scheduler, dir string)) {
	eachDriver(t, func(t *testing.T, s *sluice.Scheduler) { test(t, s, dir) })
}
