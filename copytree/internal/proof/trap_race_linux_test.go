package proof_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/option"
)

// TestSwappedDestination replaces directories of the destination by symbolic links out of it, and
// back, during the copy. Nothing outside may be written.
func TestSwappedDestination(t *testing.T) {
	for name, o := range map[string]option.Options{
		"plain": {}, "all": {Preserve: option.PreserveAll}, "removed first": {Unlink: true, Preserve: option.PreserveAll},
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			const dirs = 20
			outside := canary(t, "outside", dirs)
			for i := range dirs {
				for j := range 10 {
					put(t, fmt.Sprintf("tree/%d/sub/%d", i, j), "content")
				}
				must(t, os.MkdirAll(fmt.Sprintf("copy/%d/sub", i), 0o755), os.Symlink("../outside", fmt.Sprintf("links-%d", i)))
			}
			must(t, os.Mkdir("links", 0o755))
			for i := range dirs {
				must(t, os.Symlink("../outside", fmt.Sprintf("links/%d", i)))
			}
			stop := swapper(t, func(i int) {
				i %= dirs
				unix.Renameat2(unix.AT_FDCWD, fmt.Sprintf("copy/%d", i), unix.AT_FDCWD, fmt.Sprintf("links/%d", i), unix.RENAME_EXCHANGE)
			})
			for range 60 {
				within(t, "copy", "tree", o) // any error is allowed
			}
			stop()
			outside.untouched(t)
		})
	}
}

// TestSwappedSource replaces directories of the source by symbolic links out of it, and back. The
// copy must have nothing from outside.
func TestSwappedSource(t *testing.T) {
	t.Chdir(t.TempDir())
	const dirs = 20
	put(t, "outside/sub/secret", "secret")
	must(t, os.Mkdir("links", 0o755))
	for i := range dirs {
		put(t, fmt.Sprintf("tree/%d/sub/file", i), "content")
		must(t, os.Symlink("../outside", fmt.Sprintf("links/%d", i)))
	}
	stop := swapper(t, func(i int) {
		i %= dirs
		unix.Renameat2(unix.AT_FDCWD, fmt.Sprintf("tree/%d", i), unix.AT_FDCWD, fmt.Sprintf("links/%d", i), unix.RENAME_EXCHANGE)
	})
	for i := range 60 {
		to := fmt.Sprint("copy", i)
		within(t, to, "tree", option.Options{})
		must(t, filepath.WalkDir(to, func(path string, _ os.DirEntry, err error) error {
			if filepath.Base(path) == "secret" {
				t.Errorf("%s came from outside of the source", path)
			}
			return err
		}), os.RemoveAll(to))
	}
	stop()
}

// TestSwappedFile replaces files that are being written by symbolic links to a file outside.
func TestSwappedFile(t *testing.T) {
	t.Chdir(t.TempDir())
	const files = 100
	outside := canary(t, "outside", 1)
	must(t, os.Mkdir("copy", 0o755))
	for i := range files {
		put(t, fmt.Sprint("tree/", i), "content")
	}
	stop := swapper(t, func(i int) {
		name := fmt.Sprint("copy/", i%files)
		os.Symlink("../outside/0", "link")
		os.Rename("link", name)
	})
	for range 60 {
		within(t, "copy", "tree", option.Options{Preserve: option.PreserveAll})
	}
	stop()
	outside.untouched(t)
}

// guarded is a directory with files that must not change.
type guarded struct {
	dir   string
	files int
	was   []unix.Stat_t
}

// canary makes a guarded directory. Its files have the names of the copied files.
func canary(t *testing.T, dir string, files int) *guarded {
	t.Helper()
	g := &guarded{dir: dir, files: files}
	for i := range files {
		put(t, filepath.Join(dir, fmt.Sprint(i)), "canary")
	}
	must(t, os.Mkdir(filepath.Join(dir, "sub"), 0o750))
	g.was = g.stat(t)
	return g
}

func (g *guarded) stat(t *testing.T) []unix.Stat_t {
	t.Helper()
	var all []unix.Stat_t
	for _, name := range append([]string{"", "sub"}, g.names()...) {
		var st unix.Stat_t
		must(t, unix.Lstat(filepath.Join(g.dir, name), &st))
		st.Atim, st.Ctim = unix.Timespec{}, unix.Timespec{}
		all = append(all, st)
	}
	return all
}

func (g *guarded) names() []string {
	var all []string
	for i := range g.files {
		all = append(all, fmt.Sprint(i))
	}
	return all
}

// untouched fails the test if anything in the directory has changed.
func (g *guarded) untouched(t *testing.T) {
	t.Helper()
	for i, now := range g.stat(t) {
		if now != g.was[i] {
			t.Errorf("outside, file %d: %+v; was %+v", i, now, g.was[i])
		}
	}
	for _, name := range g.names() {
		holds(t, filepath.Join(g.dir, name), "canary")
	}
	for dir, want := range map[string]int{g.dir: g.files + 1, filepath.Join(g.dir, "sub"): 0} {
		if in, err := os.ReadDir(dir); len(in) != want || err != nil {
			t.Errorf("%s has %d files, %v; want %d", dir, len(in), err, want)
		}
	}
}
