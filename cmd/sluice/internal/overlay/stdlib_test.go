package overlay

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// goroot makes a GOROOT that has the changed packages alone, of the toolchain in use.
func goroot(t *testing.T) (src string) {
	t.Helper()
	tool, err := askToolchain(t.Context(), ".")
	if err != nil {
		t.Skip(err)
	}
	src = filepath.Join(t.TempDir(), "src")
	for _, dir := range []string{"internal/poll", "os"} {
		if err := os.CopyFS(filepath.Join(src, dir), os.DirFS(filepath.Join(tool.GOROOT, "src", dir))); err != nil {
			t.Fatal(err)
		}
	}
	return src
}

// TestStandardFiles: every change is made once, and the files are still Go.
func TestStandardFiles(t *testing.T) {
	src := goroot(t)
	files, err := standardFiles(filepath.Dir(src), runtime.Version(), "example.com/x/transparent")
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
			t.Error(err)
		}
	}
	for _, e := range edits {
		if n := strings.Count(string(files[e.file]), e.new); n != 1 {
			t.Errorf("%s has %q %d times; want once", e.file, e.new, n)
		}
	}
	if !strings.Contains(string(files[hooksFile]), "//go:linkname sluiceOpen example.com/x/transparent.open\n") {
		t.Error("the hook is not that of example.com/x/transparent")
	}
}

// TestComments: what comments say does not matter.
func TestComments(t *testing.T) {
	src := goroot(t)
	change(t, filepath.Join(src, "internal/poll/fd_unix.go"), "without trying (but after acquiring the readLock)", "so")
	if _, err := standardFiles(filepath.Dir(src), runtime.Version(), "x"); err != nil {
		t.Error(err)
	}
}

// TestUnknownToolchain: where a function is not the known one, nothing is made,
// and the message names it.
func TestUnknownToolchain(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"internal/poll/fd_unix.go", "n = 0\n\t}\n\tfd.decref()", "n = 1\n\t}\n\tfd.decref()", "fd_unix.go: FD.Pread is not the one"},
		{"internal/poll/fd_unix.go", "isFile bool", "isFile, other bool", "fd_unix.go: FD is not the one"},
		{"internal/poll/fd_fsync_posix.go", ") Fsync(", ") Sync(", "fd_fsync_posix.go: there is no FD.Fsync"},
		{"os/file_unix.go", "clearNonBlock := false", "clearNonBlock := true", "os/file_unix.go: newFile is not the one"},
	} {
		src := goroot(t)
		change(t, filepath.Join(src, c.file), c.old, c.new)
		files, err := standardFiles(filepath.Dir(src), "go1.99", "x")
		if files != nil || err == nil {
			t.Errorf("%s: there is no error", c.want)
			continue
		}
		for _, want := range []string{c.want, "go1.99", KnownVersions} {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("error is %q; want %q in it", err, want)
			}
		}
	}
}

// change replaces a text that the file has once.
func change(t *testing.T, file, from, to string) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), from); n != 1 {
		t.Fatalf("%s has %q %d times", file, from, n)
	}
	if err := os.WriteFile(file, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}
