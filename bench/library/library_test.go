package library

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestTree checks that a test finds the tree in which it was built.
func TestTree(t *testing.T) {
	t.Setenv(Variable, "")
	want, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := Dir(t.Context()); err != nil || got != want {
		t.Errorf("Dir = %s, %v; want %s", got, err, want)
	}
	if got := around(); got != want {
		t.Errorf("around() = %q; want %q, which has the working directory in it", got, want)
	}
	t.Chdir(t.TempDir())
	if got := around(); got != "" {
		t.Errorf("around() = %q outside of a tree; want nothing", got)
	}
}

// TestNamed checks that the environment can only name a tree of sluice.
func TestNamed(t *testing.T) {
	tree, other := t.TempDir(), t.TempDir()
	for dir, text := range map[string]string{tree: "// A comment.\nmodule github.com/sluiceio/sluice\n", other: "module example.com/sluice\n"} {
		if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct{ value, want string }{
		{tree, ""},
		{"tree", "SLUICE_SOURCE=tree is not an absolute path"},
		{other, "has no go.mod of module github.com/sluiceio/sluice"},
		{filepath.Join(tree, "missing"), "has no go.mod of module github.com/sluiceio/sluice"},
	} {
		t.Setenv(Variable, test.value)
		got, err := Dir(t.Context())
		if test.want == "" && (err != nil || got != test.value) {
			t.Errorf("Dir with %s = %s, %v; want it", test.value, got, err)
		}
		if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("Dir with %s = %s, %v; want %q", test.value, got, err, test.want)
		}
	}
}

// TestDownload checks the errors of unavailable versions.
func TestDownload(t *testing.T) {
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOMODCACHE", t.TempDir())
	if dir, err := download(t.Context(), Module, "v0.0.1"); err == nil || !strings.Contains(err.Error(), "GOPROXY=off") {
		t.Errorf("download = %s, %v; want what the go command says", dir, err)
	}
	t.Setenv("PATH", t.TempDir())
	if dir, err := download(t.Context(), Module, "v0.0.1"); err == nil || err.Error() != "there is no go command in PATH" {
		t.Errorf("download = %s, %v; want that there is no go command", dir, err)
	}
}

// TestSibling finds a module of this tree, and none in a tree with only the library.
func TestSibling(t *testing.T) {
	t.Setenv(Variable, "")
	want, err := filepath.Abs("../pebble")
	if err != nil {
		t.Fatal(err)
	}
	dir, work, err := Sibling(t.Context(), "bench/pebble")
	if dir != want || work != filepath.Join(filepath.Dir(filepath.Dir(want)), "go.work") || err != nil {
		t.Errorf("Sibling = %s, %s, %v; want %s and the go.work of its tree", dir, work, err, want)
	}
	bare := t.TempDir()
	if err := os.WriteFile(filepath.Join(bare, "go.mod"), []byte("module "+Module+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	t.Setenv(Variable, bare)
	if dir, _, err := Sibling(t.Context(), "bench/pebble"); err == nil || !strings.Contains(err.Error(), "github.com/sluiceio/sluice/bench/pebble: it is not in "+bare) {
		t.Errorf("Sibling in a bare tree = %s, %v; want an error that names the module and the tree", dir, err)
	}
}

func TestIsPublished(t *testing.T) {
	for version, want := range map[string]bool{
		"": false, "(devel)": false, "v0.1.0": true, "v0.1.0-rc.1": true, "v0.0.0-20261122070000-95be577040df": true,
		"v0.0.0-20261122070000-95be577040df+dirty": false, "v0.1.1-0.20261122070000-95be577040df+dirty": false,
	} {
		if got := isPublished(version); got != want {
			t.Errorf("isPublished(%q) = %t; want %t", version, got, want)
		}
	}
}
