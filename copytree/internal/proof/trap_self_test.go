package proof_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// ways has Options with which a file copied onto itself could be lost.
var ways = map[string]option.Options{
	"plain":         {},
	"all":           {Preserve: option.PreserveAll},
	"removed first": {Unlink: true},
	"forced":        {Force: true},
	"all holes":     {Sparse: option.SparseAlways},
}

// TestOntoItself checks that a file is not destroyed when it is copied onto itself, by any name.
// otiai10/copy and cpz -f truncate it and report success.
func TestOntoItself(t *testing.T) {
	for name, o := range ways {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "dir/file", "content")
			must(t, os.Symlink("file", "dir/symlink"), os.Symlink("dir", "other"))
			for _, dst := range []string{"dir/file", "./dir/../dir/file", "other/file"} {
				refused(t, dst, "dir/file", o, fault.ErrSameFile)
				holds(t, "dir/file", "content")
			}
		})
	}
}

// TestOntoItsHardLink copies a file onto another name of it. Nothing may be lost.
func TestOntoItsHardLink(t *testing.T) {
	for name, o := range ways {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "file", "content")
			must(t, os.Link("file", "link"))
			_, err := within(t, "link", "file", o)
			t.Log(err) // GNU cp refuses it without --remove-destination
			holds(t, "file", "content")
			holds(t, "link", "content")
		})
	}
}

// TestOntoItsSymlink copies a file onto a symbolic link to it, and the link onto the
// file.
func TestOntoItsSymlink(t *testing.T) {
	for name, o := range ways {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "file", "content")
			must(t, os.Symlink("file", "link"))
			_, err := within(t, "link", "file", o)
			t.Log(err)
			holds(t, "file", "content")
			holds(t, "link", "content")
			o.Follow = option.FollowArguments
			_, err = within(t, "file", "link", o)
			t.Log(err)
			holds(t, "file", "content")
		})
	}
}

// TestTreeOntoItself copies a whole tree onto itself. Nothing in it may change.
func TestTreeOntoItself(t *testing.T) {
	for name, o := range ways {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "tree/a/file", "content")
			must(t, os.Symlink("tree", "same"))
			for dst, want := range map[string]error{
				"tree": fault.ErrSameFile, "same/": fault.ErrSameFile, "tree/a/..": fault.ErrSameFile, "same": fault.ErrSameFile,
			} {
				refused(t, dst, "tree", o, want)
				holds(t, "tree/a/file", "content")
			}
		})
	}
}

// TestIntoItself copies a directory into itself. xcp, fcp, rcp, otiai10/copy and os.CopyFS go on
// until the path is too long.
func TestIntoItself(t *testing.T) {
	for name, dst := range map[string]string{
		"directly": "tree/copy", "deeper": "tree/a/b/copy", "by a symlink": "link/copy", "by ..": "tree/../tree/a/../copy", "by dot": "./tree/./copy",
	} {
		t.Run(name, func(t *testing.T) {
			t.Chdir(t.TempDir())
			put(t, "tree/a/b/file", "content")
			must(t, os.Symlink("tree", "link"))
			refused(t, dst, "tree", option.Options{}, fault.ErrIntoItself)
			holds(t, "tree/a/b/file", "content")
			depth := 0
			must(t, filepath.WalkDir("tree", func(string, os.DirEntry, error) error { depth++; return nil }))
			if depth > 10 {
				t.Errorf("there are %d files in the tree now", depth)
			}
		})
	}
}

// TestMergedIntoItself has a destination that already exists inside the source, so that the copy
// finds it instead of making it.
func TestMergedIntoItself(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/a/file", "content")
	must(t, os.MkdirAll("tree/sub/copy", 0o755))
	refused(t, "tree/sub/copy", "tree", option.Options{}, fault.ErrIntoItself)
	if _, err := os.Lstat("tree/sub/copy/sub/copy"); err == nil {
		t.Error("the copy was copied")
	}
}

// TestCyclesOfSymlinks follows links to directories that contain them.
func TestCyclesOfSymlinks(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/a/file", "content")
	must(t, os.Symlink("..", "tree/a/up"), os.Symlink(".", "tree/here"))
	r := refused(t, "copy", "tree", option.Options{Follow: option.FollowAll}, fault.ErrCycle)
	if r.Failed != 2 {
		t.Errorf("%d failed; want the two links", r.Failed)
	}
	holds(t, "copy/a/file", "content")
}

// put makes a file and its directories.
func put(t *testing.T, path, content string) {
	t.Helper()
	must(t, os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(content), 0o644))
}

// holds checks the content of a file.
func holds(t *testing.T, path, want string) {
	t.Helper()
	if got, err := os.ReadFile(path); string(got) != want || err != nil {
		t.Errorf("%s holds %.100q, %v; want %.100q", path, got, err, want)
	}
}

func must(t *testing.T, errs ...error) {
	t.Helper()
	for _, err := range errs {
		if err != nil {
			t.Fatal(err)
		}
	}
}

// TestIntoItselfByLinkToDestination has a symbolic link at the copy's path that leads to a
// directory in the source. Nothing may be made there.
func TestIntoItselfByLinkToDestination(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	must(t, os.MkdirAll("tree/a/b", 0o755), os.Symlink("tree/a", "link"))
	refused(t, "link/", "tree", option.Options{}, fault.ErrIntoItself)
	if in, err := os.ReadDir("tree/a"); len(in) != 1 || err != nil {
		t.Errorf("tree/a has %v, %v; want b alone", in, err)
	}
}

// TestDestinationInSource has a followed symbolic link in the source that leads to the existing
// destination.
func TestDestinationInSource(t *testing.T) {
	t.Chdir(t.TempDir())
	put(t, "tree/file", "content")
	put(t, "copy/old", "content")
	must(t, os.Symlink("../copy", "tree/link"))
	refused(t, "copy", "tree", option.Options{Follow: option.FollowAll}, fault.ErrIntoItself)
	holds(t, "copy/file", "content")
	if _, err := os.Lstat("copy/link"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("copy/link: %v; want nothing there", err)
	}
}
