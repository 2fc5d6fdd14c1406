package main

import (
	"bytes"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/sluiceio/sluice/dev/internal/workspace"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// small is a tree with a program.
var small = map[string]string{
	"go.work":                            "go 1.25\n\nuse (\n\t.\n\t./app\n)\n\nreplace example.com/lib v0.1.0 => ./\n",
	"LICENSE":                            "our licence\n",
	"go.mod":                             "module example.com/lib\n\ngo 1.25\n",
	"lib.go":                             "package lib\n",
	"app/go.mod":                         "module example.com/lib/app\n\ngo 1.25\n\nrequire example.com/lib v0.1.0\n",
	"app/page/page.go":                   "package page\n",
	"app/page/third_party/chart/LICENSE": "the chart's licence\n",
	"app/page/third_party/NOTICE":        "of no work\n",
	"app/main.go":                        "package main\n\nimport (\n\t_ \"example.com/lib\"\n\t_ \"example.com/lib/app/page\"\n)\n\nfunc main() {}\n",
}

// smallProgram writes the tree into a directory.
func smallProgram(t *testing.T) program {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		skip.For(t, skip.Go, err)
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	dir := t.TempDir()
	for name, text := range small {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return program{dir, "example.com/lib/app", runtime.GOOS + "/" + runtime.GOARCH}
}

// TestNotices checks that the licences of Go and of third_party are there, and ours is not.
func TestNotices(t *testing.T) {
	text, err := smallProgram(t).notices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for part, want := range map[string]bool{
		"The program app has parts":                    true,
		"\nchart\n\nLICENSE:\n\nthe chart's licence\n": true,
		"The Go Authors":                               true,
		"our licence":                                  false,
		"of no work":                                   false,
	} {
		if got := strings.Contains(string(text), part); got != want {
			t.Errorf("NOTICES contains %q: %t; want %t\n%.500s", part, got, want, text)
		}
	}
}

// TestNoLicence checks that a work without a licence is found.
func TestNoLicence(t *testing.T) {
	p := smallProgram(t)
	if err := os.Rename(filepath.Join(p.root, "app/page/third_party/chart/LICENSE"), filepath.Join(p.root, "app/page/third_party/chart/README")); err != nil {
		t.Fatal(err)
	}
	if _, err := p.notices(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "chart has no licence file") {
		t.Errorf("notices = %v; want that the chart has no licence", err)
	}
}

// TestLicenceNames checks which files are taken for licences.
func TestLicenceNames(t *testing.T) {
	for name, want := range map[string]bool{
		"LICENSE": true, "LICENSE.md": true, "License-MIT": true, "licence.txt": true, "COPYING": true, "NOTICE": true, "PATENTS": true,
		"licenses": false, "README": false, "copyright_test": false, "license.go": false,
	} {
		if got := isLicence(name); got != want {
			t.Errorf("licence matches %q: %t; want %t", name, got, want)
		}
	}
}

func readFile(t *testing.T, parts ...string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(parts...))
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// TestThirdParty checks that each work of others in this tree has its licence, and is named in
// the NOTICE of its module.
func TestThirdParty(t *testing.T) {
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	notice := strings.ToLower(string(readFile(t, root, "cmd/sluice/NOTICE")))
	found := 0
	err = filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() || filepath.Base(filepath.Dir(name)) != thirdParty {
			return err
		}
		found++
		works := make(map[string][]string)
		if err := add(works, d.Name(), name); err != nil {
			return err
		}
		if len(works[d.Name()]) == 0 {
			t.Errorf("%s has no licence", name)
		}
		if !strings.Contains(notice, d.Name()) {
			t.Errorf("cmd/sluice/NOTICE does not name %s, of %s", d.Name(), name)
		}
		return fs.SkipDir
	})
	if err != nil || found == 0 {
		t.Errorf("found %d works, %v; want those of the viewer", found, err)
	}
}

// TestSameLicence checks that each module has the licence of the tree: a module's zip file has
// only what is in its directory.
func TestSameLicence(t *testing.T) {
	w, err := workspace.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range w.Modules {
		if !bytes.Equal(readFile(t, m.Dir(), "LICENSE"), readFile(t, w.Root, "LICENSE")) {
			t.Errorf("%s/LICENSE differs from that of the tree", m.Below)
		}
	}
}

// TestNoReplace checks that go install takes the modules: it refuses replace lines.
func TestNoReplace(t *testing.T) {
	w, err := workspace.Load("../..")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Version(); err != nil {
		t.Error(err)
	}
	for _, m := range w.Modules {
		file, err := modfile.Parse("go.mod", readFile(t, m.Dir(), "go.mod"), nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range file.Replace {
			t.Errorf("%s/go.mod replaces %s: that belongs in go.work", m.Below, r.Old.Path)
		}
	}
}
