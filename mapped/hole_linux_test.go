package mapped_test

import (
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// smallTmpfs mounts a tmpfs of 1 MiB.
func smallTmpfs(t *testing.T) (dir string) {
	dir = filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mount("none", dir, "tmpfs", 0, "size=1M"); err != nil {
		skip.For(t, skip.Mount, "tmpfs cannot be mounted: ", err)
	}
	t.Cleanup(func() { places.Unmount(t, dir) })
	return dir
}

// TestHolesOfFullFileSystem checks that memory that Load has returned can be touched. A page of a
// hole takes room on tmpfs when it is touched, and not when it is read.
func TestHolesOfFullFileSystem(t *testing.T) {
	mounts := map[string]func(t *testing.T) string{"tmpfs": smallTmpfs}
	for _, name := range []string{"ext4", "xfs", "btrfs"} {
		// 96 MiB, or the file system's least
		mounts[name] = func(t *testing.T) string { return places.FileSystems[name](t, 96<<20) }
	}
	for name, mount := range mounts {
		t.Run(name, func(t *testing.T) {
			testenv.EachDriverIn(t, mount(t), func(t *testing.T, s *sluice.Scheduler, dir string) {
				testHoles(t, s, dir, name == "tmpfs")
			})
		})
	}
}

func testHoles(t *testing.T, s *sluice.Scheduler, dir string, mayFail bool) {
	f, text := file(t, s, dir, page)
	if err := f.Truncate(100 * page); err != nil {
		t.Fatal(err)
	}
	filler := filepath.Join(dir, "filler")
	places.Fill(t, filler, 0)
	defer os.Remove(filler)
	m := mapFile(t, f, 0, 0)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	refused := 0
	for _, c := range []struct{ off, n int64 }{{0, page}, {page - 1, 1}, {page, 1}, {5000, 100}, {0, 100 * page}, {99 * page, page}} {
		want := make([]byte, c.n)
		if c.off < page {
			copy(want, text[c.off:])
		}
		p, err := m.Load(c.off, c.n)
		switch {
		case err != nil && c.off+c.n > page && mayFail:
			refused++
		case err != nil || string(p) != string(want): // the comparison touches p
			t.Errorf("Load of %d bytes at %d = %d bytes, %v; want the file's", c.n, c.off, len(p), err)
		}
	}
	if mayFail && refused == 0 {
		t.Error("no hole was refused: the file system is not full")
	}
}
