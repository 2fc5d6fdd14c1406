package tree

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

var small = Shape{Levels: 3, Width: 2, FileSize: 5000}

func made(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	if err := Make(t.Context(), dir, small, func(float64) {}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func sumOf(t *testing.T, dir string) Sum {
	t.Helper()
	s, err := SumOf(dir)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestMake(t *testing.T) {
	dir := made(t, "a")
	s := sumOf(t, dir)
	if s.Files != 14 || s.Dirs != 7 || s.Bytes != 14*5000 {
		t.Errorf("tree is %+v; want 14 files of 5000 bytes in 7 directories", s)
	}
	if s.Files != small.Files() || s.Dirs != small.Dirs() || s.Bytes != small.Data() {
		t.Errorf("tree is %+v; the shape says %d files in %d directories, %d bytes", s, small.Files(), small.Dirs(), small.Data())
	}
	if got, want := small.OnDisk(), int64(14*8192+7*4096); got != want {
		t.Errorf("OnDisk = %d; want %d", got, want)
	}
	if part := sumOf(t, Part(dir)); part.Files != 6 || part.Dirs != 3 {
		t.Errorf("part is %+v; want 6 files in 3 directories", part)
	}
}

// TestPublished checks the shapes against the published numbers.
func TestPublished(t *testing.T) {
	for _, test := range []struct {
		shape       Shape
		files, dirs int64
	}{
		{Shape{Levels: 7, Width: 5, FileSize: 4 << 10}, 97655, 19531},
		{Shape{Levels: 4, Width: 5, FileSize: 1 << 20}, 780, 156},
	} {
		if f, d := test.shape.Files(), test.shape.Dirs(); f != test.files || d != test.dirs {
			t.Errorf("%+v is %d files in %d directories; want %d in %d", test.shape, f, d, test.files, test.dirs)
		}
	}
}

func TestDiffers(t *testing.T) {
	want := sumOf(t, made(t, "a"))
	if how := want.Differs(sumOf(t, made(t, "b"))); how != "" {
		t.Errorf("two trees of one shape differ: %s", how)
	}
	for name, test := range map[string]struct {
		change func(dir string) error
		says   string
	}{
		"content":   {func(dir string) error { return os.WriteFile(filepath.Join(dir, "file0"), make([]byte, 5000), 0o600) }, "contents"},
		"name":      {func(dir string) error { return os.Rename(filepath.Join(dir, "file0"), filepath.Join(dir, "other")) }, "names"},
		"size":      {func(dir string) error { return os.Truncate(filepath.Join(dir, "dir1", "file1"), 4999) }, "69999 bytes, not 70000"},
		"file":      {func(dir string) error { return os.Remove(filepath.Join(dir, "file1")) }, "13 files, not 14"},
		"directory": {func(dir string) error { return os.Mkdir(filepath.Join(dir, "more"), 0o700) }, "8 directories, not 7"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := made(t, "b")
			if err := test.change(dir); err != nil {
				t.Fatal(err)
			}
			if how := want.Differs(sumOf(t, dir)); !strings.Contains(how, test.says) {
				t.Errorf("Differs = %q; want %q in it", how, test.says)
			}
		})
	}
}

func TestSumOfOtherThings(t *testing.T) {
	dir := made(t, "a")
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "link")); err != nil {
		skip.For(t, skip.Special, err)
	}
	if _, err := SumOf(dir); err == nil {
		t.Error("a tree with a link to a directory has a sum")
	}
}

func TestCaches(t *testing.T) {
	dir := made(t, "a")
	before := sumOf(t, dir)
	if err := Warm(dir); err != nil {
		t.Errorf("Warm = %v", err)
	}
	if err := Evict(dir); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		t.Errorf("Evict = %v", err)
	}
	if how := before.Differs(sumOf(t, dir)); how != "" {
		t.Errorf("the tree has changed: %s", how)
	}
}

func TestMakeIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	err := Make(ctx, filepath.Join(t.TempDir(), "a"), small, func(float64) { cancel(enough) })
	if !errors.Is(err, enough) {
		t.Errorf("Make = %v; want the cause of the end", err)
	}
}

func TestRemove(t *testing.T) {
	dir := made(t, "a")
	for range 2 { // the second one finds nothing
		if err := Remove(dir); err != nil {
			t.Errorf("Remove = %v", err)
		}
	}
	if _, err := os.Lstat(dir); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the tree is there, %v", err)
	}
	if err := os.WriteFile(dir, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Remove(dir); err == nil {
		t.Error("Remove of a file = nil; want an error")
	}
}
