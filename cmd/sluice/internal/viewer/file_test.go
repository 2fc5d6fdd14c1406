package viewer

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/tracepage"
)

const (
	older = tracepage.Mark + "older"
	newer = tracepage.Mark + "newer"
)

func TestWriteFile(t *testing.T) {
	for name, test := range map[string]struct {
		there, want string // what the file holds before and after; "" is no file
		force       bool
		err         error
	}{
		"new":           {want: newer},
		"ours":          {there: older, want: newer},
		"part of ours":  {there: tracepage.Mark[:20], want: tracepage.Mark[:20], err: ErrForeign},
		"foreign":       {there: "<!doctype html>\n<p>thesis", want: "<!doctype html>\n<p>thesis", err: ErrForeign},
		"short":         {there: "x", want: "x", err: ErrForeign},
		"forced":        {there: "thesis", want: newer, force: true},
		"a longer page": {there: older + "and much more than that", want: newer},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "page.html")
			if test.there != "" {
				put(t, path, test.there)
			}
			if err := WriteFile(t.Context(), path, []byte(newer), test.force); !errors.Is(err, test.err) {
				t.Errorf("WriteFile = %v; want %v", err, test.err)
			}
			if got, err := os.ReadFile(path); err != nil || string(got) != test.want {
				t.Errorf("the file holds %q, %v; want %q", got, err, test.want)
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) != 1 {
				t.Errorf("%d files are left, %v; want 1", len(left), err)
			}
		})
	}
}

func TestWriteFileElsewhere(t *testing.T) {
	dir := t.TempDir()
	if err := WriteFile(t.Context(), filepath.Join(dir, "none", "page.html"), []byte(newer), true); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("WriteFile where there is no directory = %v; want %v", err, fs.ErrNotExist)
	}
	if err := WriteFile(t.Context(), dir, []byte(newer), true); err == nil {
		t.Error("WriteFile of a directory succeeds")
	}
	if runtime.GOOS == "windows" {
		return
	}
	if err := WriteFile(t.Context(), "/dev/null", []byte(newer), false); err != nil {
		t.Errorf("WriteFile(/dev/null) = %v", err)
	}
	if info, err := os.Stat("/dev/null"); err != nil || info.Mode().IsRegular() {
		t.Errorf("/dev/null is a file now: %v", err)
	}
}

// TestWriteFileLink writes through a symbolic link, which must stay.
func TestWriteFileLink(t *testing.T) {
	dir := t.TempDir()
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	put(t, target, older)
	if err := os.Chmod(target, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, link); err != nil {
		skip.For(t, skip.Special, err)
	}
	if err := WriteFile(t.Context(), link, []byte(newer), false); err != nil {
		t.Fatal(err)
	}
	info, err := os.Lstat(link)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is none any more: %v", err)
	}
	if got, err := os.ReadFile(target); err != nil || string(got) != newer {
		t.Errorf("what the link leads to holds %q, %v", got, err)
	}
	if info, err := os.Stat(target); err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Errorf("its permissions are %v, %v; want 0600 as before", info.Mode(), err)
	}
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}
