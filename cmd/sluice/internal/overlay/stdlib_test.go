package overlay

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// root is the directory of the library's module.
const root = "../../../.."

// goroot makes a GOROOT with only those files of the present toolchain that the overlay
// reads.
func goroot(t *testing.T) (src string) {
	t.Helper()
	tool, err := askToolchain(t.Context(), ".")
	if err != nil {
		skip.For(t, skip.Go, err)
	}
	src = filepath.Join(t.TempDir(), "src")
	files := make(map[string]bool)
	for _, d := range relied {
		files[d.file] = true
	}
	for _, e := range edits {
		files[e.file] = true
	}
	for file := range files {
		text, err := os.ReadFile(filepath.Join(tool.GOROOT, "src", file))
		if err == nil {
			err = os.MkdirAll(filepath.Join(src, filepath.Dir(file)), 0o777)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(src, file), text, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return src
}

// changed returns the changed files of a toolchain.
func changed(goroot, version string, hooks []byte) (map[string][]byte, error) {
	src, err := readStandard(goroot, version)
	if err != nil {
		return nil, err
	}
	return standardFiles(goroot, version, src, hooks)
}

// TestStandardFiles checks that every change is made once, and that the files are still Go.
func TestStandardFiles(t *testing.T) {
	src := goroot(t)
	hooks, err := readHooks(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := changed(filepath.Dir(src), runtime.Version(), hooks)
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
}

// TestHooksAgree compares the types of the variables that internal/poll and package
// transparent share: no compiler or linker does.
func TestHooksAgree(t *testing.T) {
	ours, theirs := typesOf(t, "hooks_linux.go"), typesOf(t, "poll.go.txt")
	for _, name := range []string{"disk", "state"} {
		one := strings.ReplaceAll(ours[name], "disk", "sluiceDisk")
		if other := theirs["sluice"+strings.ToUpper(name[:1])+name[1:]]; one == "" || one != other {
			t.Errorf("%s is\n%s\nthere, and here\n%s", name, other, one)
		}
	}
	for _, name := range []string{"Open", "Fresh", "Exit"} {
		mark, use := "//go:linkname sluice"+name+"\n", "//go:linkname "+strings.ToLower(name)+" internal/poll.sluice"+name+"\n"
		if !strings.Contains(source(t, "poll.go.txt"), mark) || !strings.Contains(source(t, "hooks_linux.go"), use) {
			t.Errorf("want %sin internal/poll, and %sin package transparent", mark, use)
		}
	}
}

// source returns a file of package transparent.
func source(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, "transparent", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// typesOf returns the type declarations of a file of package transparent, without comments.
func typesOf(t *testing.T, name string) map[string]string {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, filepath.Join(root, "transparent", name), nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	types := make(map[string]string)
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.TypeSpec); ok {
			var text strings.Builder
			if err := printer.Fprint(&text, fset, s.Type); err != nil {
				t.Fatal(err)
			}
			types[s.Name.Name] = strings.Join(strings.Fields(text.String()), " ")
		}
		return true
	})
	return types
}

// TestOtherSource checks that a tree of another version is refused.
func TestOtherSource(t *testing.T) {
	if _, err := readHooks(t.TempDir()); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "not of this command's version") {
		t.Errorf("error is %v", err)
	}
}

// TestComments checks that comments do not matter.
func TestComments(t *testing.T) {
	src := goroot(t)
	change(t, filepath.Join(src, "internal/poll/fd_unix.go"), "without trying (but after acquiring the readLock)", "so")
	if _, err := changed(filepath.Dir(src), runtime.Version(), nil); err != nil {
		t.Error(err)
	}
}

// TestUnknownToolchain checks that nothing is made if a function differs from the known
// one, and that the message names the function.
func TestUnknownToolchain(t *testing.T) {
	for _, c := range []struct{ file, old, new, want string }{
		{"internal/poll/fd_unix.go", "n = 0\n\t}\n\tfd.decref()", "n = 1\n\t}\n\tfd.decref()", "fd_unix.go: FD.Pread differs from the one"},
		{"internal/poll/fd_unix.go", "isFile bool", "isFile, other bool", "fd_unix.go: FD differs from the one"},
		{"internal/poll/fd_fsync_posix.go", ") Fsync(", ") Sync(", "fd_fsync_posix.go: there is no FD.Fsync"},
		{"runtime/mbitmap.go", "base = s.base() + objIndex*s.elemsize", "base = s.base()", "mbitmap.go: findObject differs from the one"},
		{"os/file_unix.go", "clearNonBlock := false", "clearNonBlock := true", "os/file_unix.go: newFile differs from the one"},
	} {
		src := goroot(t)
		change(t, filepath.Join(src, c.file), c.old, c.new)
		files, err := changed(filepath.Dir(src), "go1.99", nil)
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

// TestNoteOfVersion checks that an untested release is accepted, with a note.
func TestNoteOfVersion(t *testing.T) {
	for version, want := range map[string]bool{
		"go1.26.0": false, "go1.26.10": false, "go1.26.8 X:nogreenteagc": false,
		"go1.27.0": true, "go1.2.6": true, "go1.27rc1": true, "go1.27-devel_0123abcd": true,
	} {
		o := new(Overlay)
		o.noteVersion(toolchain{GOVERSION: version})
		if (len(o.Notes) > 0) != want {
			t.Errorf("of %s the user is told %q", version, o.Notes)
		}
	}
}

// TestLink checks that a toolchain in the module cache is used by a link elsewhere.
func TestLink(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", filepath.Join(t.TempDir(), "cache"))
	t.Setenv("HOME", t.TempDir()) // where there is no XDG_CACHE_HOME
	goroot := t.TempDir()
	for range 2 {
		tool := &toolchain{GOROOT: goroot, GOVERSION: "go1.26.8"}
		if err := tool.link(); err != nil {
			t.Fatal(err)
		}
		if to, err := os.Readlink(tool.GOROOT); to != goroot || err != nil {
			t.Errorf("the link is to %q, %v; want %q", to, err, goroot)
		}
		name, env := tool.command()
		if name != filepath.Join(tool.GOROOT, "bin", "go") || len(env) != 2 || env[0] != "GOROOT="+tool.GOROOT {
			t.Errorf("the go command is %s with %q", name, env)
		}
	}
	t.Setenv("XDG_CACHE_HOME", "relative")
	t.Setenv("HOME", "")
	if err := (&toolchain{GOROOT: goroot, GOVERSION: "go1.26.8"}).link(); err == nil && runtime.GOOS == "linux" {
		t.Error("where no link can be, there is no error")
	}
}

// change replaces a text that occurs once in the file.
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
