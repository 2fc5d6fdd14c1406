package drivertest

import (
	"maps"
	"os"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// fds maps the numbers of the process's descriptors to the names of their files.
type fds map[string]string

func descriptors(t testing.TB) fds {
	t.Helper()
	const dir = "/proc/self/fd"
	list, err := os.ReadDir(dir)
	if err != nil {
		skip.For(t, skip.Proc, err)
	}
	s := fds{}
	for _, e := range list {
		// The descriptor of the directory is closed by now.
		if to, err := os.Readlink(dir + "/" + e.Name()); err == nil {
			s[e.Name()] = to
		}
	}
	return s
}

func (f fds) checkSame(t testing.TB, now fds) {
	t.Helper()
	if !maps.Equal(f, now) {
		t.Errorf("descriptors after Close: %v; before Open: %v", now, f)
	}
}
