//go:build amd64 || arm64

package proof_test

import (
	"errors"
	"os"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/treecmp"
)

// TestResumeAfterKill has files from a killed copy, with the size and times of their sources but
// without the mode or the owner. The next copy must copy these files again, and no complete one. On
// other architectures symbolic links get no times.
func TestResumeAfterKill(t *testing.T) {
	needRoot(t)
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	must(t, os.Symlink("file", "tree/link"), os.Lchown("tree/link", 1000, 1001))
	must(t, os.Chown("tree/file", 1000, 1001), unix.Chmod("tree/file", 0o6755))
	o := option.Options{
		Preserve: option.PreserveMode | option.PreserveOwner | option.PreserveTimes,
		Require:  option.PreserveOwner,
	}
	copied(t, "copy", "tree", o)
	o.Resume = true
	for name, c := range map[string]struct {
		lose func() error
		want int64 // bytes that are copied again
	}{
		"nothing": {func() error { return nil }, 0},
		"mode":    {func() error { return unix.Chmod("copy/file", 0o700) }, 1},
		"group":   {func() error { return errors.Join(os.Chown("copy/file", 1000, 0), unix.Chmod("copy/file", 0o6755)) }, 1},
		"owner of all": {func() error {
			return errors.Join(os.Chown("copy/file", 0, 0), unix.Chmod("copy/file", 0o700), os.Lchown("copy/link", 0, 0))
		}, 2},
	} {
		must(t, c.lose())
		r := copied(t, "copy", "tree", o)
		if again := r.Files + r.Symlinks; again != c.want || r.Skipped != 2-c.want {
			t.Errorf("%s lost: %d copied, %d skipped; want %d, %d", name, again, r.Skipped, c.want, 2-c.want)
		}
		if found, err := treecmp.Compare("tree", "copy", treecmp.Mode|treecmp.Owner|treecmp.Mtime); len(found) > 0 || err != nil {
			t.Errorf("%s lost: %v, %v", name, found, err)
		}
	}
}

// TestResumeLinks has a copy of the second name of a file, which a killed copy has made first. The
// next copy makes it a hard link to the copy of the first name.
func TestResumeLinks(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/a", "content")
	o := option.Options{Preserve: option.PreserveTimes | option.PreserveLinks, Concurrency: 1}
	copied(t, "copy", "tree", o)
	must(t, os.Link("tree/a", "tree/b"), os.Link("tree/a", "tree/c"))
	copied(t, "copy/c", "tree/c", o)
	o.Resume = true
	for range 2 {
		copied(t, "copy", "tree", o)
		var s unix.Stat_t
		if must(t, unix.Stat("copy/a", &s)); s.Nlink != 3 {
			t.Errorf("the copy has %d names; want 3", s.Nlink)
		}
	}
	if r := copied(t, "copy", "tree", o); r.Files != 0 {
		t.Errorf("a complete copy: %d files were copied; want none", r.Files)
	}
}

// TestResumeOfOthers checks that a copy is complete if it may not have its source's owner, and so
// lacks suid and sgid as well.
func TestResumeOfOthers(t *testing.T) {
	needRoot(t)
	t.Chdir(t.TempDir())
	put(t, "file", "content")
	must(t, os.Chown("file", 1000, 1001), unix.Chmod("file", 0o6755))
	copied(t, "copy", "file", all)
	must(t, os.Chown("copy", 0, 0), unix.Chmod("copy", 0o755))
	o := all
	o.Resume = true
	if r := copied(t, "copy", "file", o); r.Skipped != 1 {
		t.Errorf("%d skipped; want 1", r.Skipped)
	}
	must(t, unix.Chmod("copy", 0o700))
	if r := copied(t, "copy", "file", o); r.Skipped != 0 {
		t.Errorf("%d skipped with another mode; want 0", r.Skipped)
	}
}
