package files

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// tree makes a directory with files, directories and symbolic links.
func tree(t testing.TB) string {
	dir := t.TempDir()
	for _, d := range []string{"sub/deeper", "void"} {
		if err := os.MkdirAll(filepath.Join(dir, d), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	testenv.Write(t, filepath.Join(dir, "hello"), "hello\n")
	testenv.Write(t, filepath.Join(dir, "empty"), "")
	testenv.Write(t, filepath.Join(dir, "sub/large"), strings.Repeat(testenv.Twenty, 10_000))
	testenv.Write(t, filepath.Join(dir, "sub/deeper/leaf"), "leaf")
	for _, link := range [][2]string{{"hello", "link"}, {"sub", "way"}} {
		if err := os.Symlink(link[0], filepath.Join(dir, link[1])); err != nil {
			skip.For(t, skip.Special, err)
		}
	}
	return dir
}

func TestDirFS(t *testing.T) {
	fsys := sluice.DirFS(tree(t))
	if err := fstest.TestFS(fsys, "hello", "empty", "void", "sub/large", "sub/deeper/leaf", "link", "way"); err != nil {
		t.Fatal(err)
	}
	sub, err := fs.Sub(fsys, "sub")
	if err != nil {
		t.Fatal(err)
	}
	if err := fstest.TestFS(sub, "large", "deeper/leaf"); err != nil {
		t.Fatal(err)
	}
	f, err := fsys.Open("hello")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, ok := f.(*sluice.File); !ok {
		t.Errorf("Open returned a %T; want *sluice.File", f)
	}
}

// TestDirFSIsThatOfOS compares all calls of the file system, for valid and invalid names.
func TestDirFSIsThatOfOS(t *testing.T) {
	dir := tree(t)
	if err := os.Symlink("none", filepath.Join(dir, "dangling")); err != nil {
		t.Fatal(err)
	}
	for _, root := range []string{dir, dir + "/", dir + "/none", ""} {
		ours, theirs := sluice.DirFS(root), os.DirFS(root)
		for _, name := range []string{
			"hello", "empty", "sub", "link", "way/large", "dangling", "none", ".", "..", "", "/hello",
			"../x", "hello/", "hello/x", "sub//large", "nul\x00", "b\\s", strings.Repeat("long", 100),
		} {
			for what, ask := range questions {
				got, want := ask(ours, name, dir), ask(theirs, name, dir)
				if got = strings.Replace(got, "sluice: DirFS", "os: DirFS", 1); got != want {
					t.Errorf("DirFS(%q): %s %q = %s; want %s", testenv.Inside(root, dir), what, name, got, want)
				}
			}
		}
	}
}

var questions = map[string]func(fsys fs.FS, name, dir string) string{
	"Open": func(fsys fs.FS, name, dir string) string {
		f, err := fsys.Open(name)
		if err != nil {
			return testenv.Describe(err, dir)
		}
		defer f.Close()
		b, err := io.ReadAll(f)
		return fmt.Sprint(testenv.Sum(b), testenv.Describe(err, dir))
	},
	"ReadFile": func(fsys fs.FS, name, dir string) string {
		b, err := fs.ReadFile(fsys, name)
		return fmt.Sprint(len(b), b == nil, testenv.Sum(b), testenv.Describe(err, dir))
	},
	"ReadDir": func(fsys fs.FS, name, dir string) string {
		l, err := fs.ReadDir(fsys, name)
		return fmt.Sprint(l, testenv.Describe(err, dir))
	},
	"Stat": func(fsys fs.FS, name, dir string) string {
		info, err := fs.Stat(fsys, name)
		return status(info) + testenv.Describe(err, dir)
	},
	"Lstat": func(fsys fs.FS, name, dir string) string {
		info, err := fs.Lstat(fsys, name)
		return status(info) + testenv.Describe(err, dir)
	},
	"ReadLink": func(fsys fs.FS, name, dir string) string {
		to, err := fs.ReadLink(fsys, name)
		return to + testenv.Describe(err, dir)
	},
	"Glob": func(fsys fs.FS, name, dir string) string {
		l, err := fs.Glob(fsys, name+"*")
		return fmt.Sprint(l, testenv.Describe(err, dir))
	},
}

func status(info fs.FileInfo) string {
	if info == nil {
		return ""
	}
	return fs.FormatFileInfo(info)
}
