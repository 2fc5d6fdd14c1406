package workspace

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// files is a tree of three modules. Module app needs lib only through mid.
var files = map[string]string{
	"go.work": "go 1.25\n\nuse (\n\t./app\n\t.\n\t./mid\n)\n\nreplace (\n\texample.com/lib v0.1.0 => ./\n\texample.com/lib/mid v0.1.0 => ./mid // a comment\n)\n",
	"LICENSE": "free\n", "mid/LICENSE": "free\n", "app/LICENSE": "free\n",
	"go.mod":      "module example.com/lib\n\ngo 1.25\n",
	"lib.go":      "package lib\n\nconst Name = \"lib\"\n",
	"mid/go.mod":  "module example.com/lib/mid\n\ngo 1.25\n\nrequire example.com/lib v0.1.0\n",
	"mid/mid.go":  "package mid\n\nimport \"example.com/lib\"\n\nconst Name = \"mid of \" + lib.Name\n",
	"app/go.mod":  "module example.com/lib/app\n\ngo 1.25\n\nrequire (\n\texample.com/lib v0.1.0 // indirect\n\texample.com/lib/mid v0.1.0\n)\n",
	"app/main.go": "package main\n\nimport \"example.com/lib/mid\"\n\nfunc main() { println(mid.Name) }\n",
}

// tree writes files and changes, and returns the root.
func tree(t *testing.T, changes map[string]string) string {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		skip.For(t, skip.Go, err)
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	root := t.TempDir()
	all := maps.Clone(files)
	maps.Copy(all, changes)
	for name, text := range all {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func load(t *testing.T, root string) *Workspace {
	t.Helper()
	w, err := Load(root)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func read(t *testing.T, parts ...string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestSums sets another version, and builds the modules from their zip files alone.
func TestSums(t *testing.T) {
	root := tree(t, nil)
	w := load(t, root)
	if w.Modules[0].Below != "." || w.Modules[1].Below != "mid" || w.Modules[2].Tag("v0.2.0") != "app/v0.2.0" {
		t.Fatalf("the order is %s, %s, %s; want lib before mid before app", w.Modules[0].Path, w.Modules[1].Path, w.Modules[2].Path)
	}
	if err := w.Check(t.Context(), "v0.1.0"); err == nil || !strings.Contains(err.Error(), "go.sum") {
		t.Errorf("Check without sums = %v; want that go.sum lacks them", err)
	}
	if err := w.Set("v0.2.0"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, root, "go.work"); !strings.Contains(got, "example.com/lib/mid v0.2.0 => ./mid // a comment\n") || strings.Contains(got, "v0.1.0") {
		t.Errorf("go.work is %s; want v0.2.0 replaced", got)
	}
	if err := w.Sums(t.Context(), "v0.2.0"); err != nil {
		t.Fatal(err)
	}
	if err := w.Check(t.Context(), "v0.2.0"); err != nil {
		t.Error(err)
	}
	if got, want := strings.Count(read(t, root, "app/go.sum"), " v0.2.0"), 4; got != want {
		t.Errorf("app/go.sum has %d lines of the tree; want %d", got, want)
	}
	// A change of one module changes its sum in the go.sum of other modules.
	if err := os.WriteFile(filepath.Join(root, "lib.go"), []byte("package lib\n\nconst Name = \"other\"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := w.Check(t.Context(), "v0.2.0"); err == nil || !strings.Contains(err.Error(), "checksum mismatch") {
		t.Errorf("Check of a changed module = %v; want that the sum does not match", err)
	}
}

// TestTidy adds and removes requirements of the tree's unpublished modules.
func TestTidy(t *testing.T) {
	root := tree(t, map[string]string{
		"mid/go.mod": "module example.com/lib/mid\n\ngo 1.25\n",
		"mid/go.sum": "example.com/lib v0.1.0 h1:new=\nexample.com/lib v0.0.9 h1:old=\n",
		"app/go.mod": "module example.com/lib/app\n\ngo 1.25\n\n// What is not imported goes.\nrequire example.com/lib/mid v0.1.0\n",
	})
	if err := load(t, root).Tidy(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got, want := read(t, root, "mid/go.mod"), files["mid/go.mod"]; got != want {
		t.Errorf("mid/go.mod is\n%swant\n%s", got, want)
	}
	if got, want := read(t, root, "mid/go.sum"), "example.com/lib v0.1.0 h1:new=\n"; got != want {
		t.Errorf("mid/go.sum is\n%swant\n%s", got, want)
	}
	if got := read(t, root, "app/go.mod"); !strings.Contains(got, "example.com/lib v0.1.0 // indirect") || strings.Contains(got, "replace") {
		t.Errorf("app/go.mod is\n%swant lib v0.1.0, and nothing replaced", got)
	}
	if w := load(t, root); len(w.Modules[2].Siblings) != 2 {
		t.Errorf("app requires %v; want lib and mid", w.Modules[2].Siblings)
	}
}

// TestWrong checks the errors of trees and versions that cannot be published.
func TestWrong(t *testing.T) {
	for name, test := range map[string]struct {
		changes map[string]string
		want    string
	}{
		"replace": {map[string]string{"mid/go.mod": files["mid/go.mod"] + "replace example.com/lib => ../\n"}, "has a replace line"},
		"two":     {map[string]string{"app/go.mod": "module example.com/lib/app\n\nrequire example.com/lib v0.3.0\n"}, "want one version of all"},
	} {
		w := load(t, tree(t, test.changes))
		if err := w.Tidy(t.Context()); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: Tidy = %v; want %q", name, err, test.want)
		}
	}
	root := tree(t, map[string]string{"go.mod": "module example.com/lib\n\nrequire example.com/lib/app v0.1.0\n"})
	if _, err := Load(root); err == nil || !strings.Contains(err.Error(), "in a circle") {
		t.Errorf("Load of a circle = %v; want an error", err)
	}
	root = tree(t, nil)
	if err := os.Remove(filepath.Join(root, "mid/LICENSE")); err != nil {
		t.Fatal(err)
	}
	if err := load(t, root).Sums(t.Context(), "v0.1.0"); err == nil || !strings.HasSuffix(err.Error(), "mid has no LICENSE") {
		t.Errorf("Sums without a licence = %v; want an error", err)
	}
	for _, version := range []string{"", "0.1.0", "v0.1", "v0.1.0+dirty", "v2.0.0"} {
		if err := CheckVersion(version); err == nil {
			t.Errorf("CheckVersion(%q) = nil; want an error", version)
		}
	}
	if err := CheckVersion("v0.1.0-rc.1"); err != nil {
		t.Error(err)
	}
}
