package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/sluiceio/sluice/dev/internal/workspace"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// small is a tree with a program that writes the documents of the archives.
var small = map[string]string{
	"go.work":   "go 1.25\n\nuse (\n\t.\n\t./app\n)\n\nreplace example.com/lib v0.1.0 => ./\n",
	"LICENSE":   "our licence\n",
	"README.md": "read\n", "CHANGELOG.md": "# Changelog\n",
	"go.mod":                             "module example.com/lib\n\ngo 1.25\n",
	"lib.go":                             "package lib\n\nimport \"runtime\"\n\n// File is where this was built.\nfunc File() string { _, file, _, _ := runtime.Caller(0); return file }\n",
	"app/go.mod":                         "module example.com/lib/app\n\ngo 1.25\n\nrequire example.com/lib v0.1.0\n",
	"app/page/page.go":                   "package page\n",
	"app/page/third_party/chart/LICENSE": "the chart's licence\n",
	"app/page/third_party/NOTICE":        "of no work\n",
	"app/main.go": `package main

import (
	"os"

	"example.com/lib"
	_ "example.com/lib/app/page"
)

var release, commit string

func main() {
	switch os.Args[1] {
	case "version":
		println(release, commit, lib.File())
	case "completion":
		os.Stdout.WriteString("complete for " + os.Args[2])
	case "man":
		os.Mkdir(os.Args[3], 0o700)
		os.WriteFile(os.Args[3]+"/sluice.1", []byte("page of "+release), 0o600)
	}
}
`,
}

// smallRelease writes the tree into dir, and returns its release.
func smallRelease(t *testing.T, dir string) *release {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		skip.For(t, skip.Go, err)
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOTOOLCHAIN", "local")
	for name, text := range small {
		write(t, filepath.Join(dir, filepath.FromSlash(name)), text)
	}
	return &release{
		root: dir, version: "v0.1.0", commit: "95be577040df", time: time.Unix(1700000001, 5),
		pkg: "example.com/lib/app", stamped: "main", platforms: []string{runtime.GOOS + "/" + runtime.GOARCH},
		out: filepath.Join(t.TempDir(), "out"),
	}
}

// TestReproducible builds the same tree in two directories, and compares all bytes. The second time
// it has an empty build cache, other settings of the user and another time.
func TestReproducible(t *testing.T) {
	if testing.Short() {
		skip.For(t, skip.Short, "builds a part of the standard library")
	}
	one := smallRelease(t, t.TempDir())
	if err := one.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	two := smallRelease(t, filepath.Join(t.TempDir(), "a directory with another name"))
	t.Setenv("GOCACHE", t.TempDir())
	t.Setenv("GOFLAGS", "-gcflags=-N")
	t.Setenv("CGO_ENABLED", "1")
	if err := two.build(t.Context()); err != nil {
		t.Fatal(err)
	}
	files, err := os.ReadDir(one.out)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != 2 {
		t.Errorf("%d files were written; want an archive and SHA256SUMS", len(files))
	}
	for _, f := range files {
		a, b := readFile(t, one.out, f.Name()), readFile(t, two.out, f.Name())
		if !bytes.Equal(a, b) {
			t.Errorf("%s differs: %d and %d bytes", f.Name(), len(a), len(b))
		}
		if f.Name() == "SHA256SUMS" {
			archive := files[1-slices.Index(files, f)].Name()
			if want := fmt.Sprintf("%x  %s\n", sha256.Sum256(readFile(t, one.out, archive)), archive); string(a) != want {
				t.Errorf("SHA256SUMS is %q; want %q", a, want)
			}
		} else {
			inspect(t, one, f.Name(), a)
		}
	}
	if err := two.build(t.Context()); err == nil || !strings.HasPrefix(err.Error(), "the archives: ") {
		t.Errorf("build where archives are = %v; want that they are there", err)
	}
}

// inspect checks the files in an archive.
func inspect(t *testing.T, r *release, name string, archive []byte) {
	t.Helper()
	files := unpack(t, archive, r.time)
	top := strings.TrimSuffix(strings.TrimSuffix(name, ".tar.gz"), ".zip")
	exe := "sluice"
	if runtime.GOOS == "windows" {
		exe += ".exe"
	}
	for file, want := range map[string]string{
		"LICENSE": "our licence", "README.md": "read", "CHANGELOG.md": "# Changelog",
		"completions/_sluice": "complete for zsh", "completions/sluice.bash": "complete for bash", "completions/sluice.fish": "complete for fish",
		"man/man1/sluice.1": "page of v0.1.0", "NOTICES": "\nchart\n\nLICENSE:\n\nthe chart's licence\n", exe: "",
	} {
		text, ok := files[top+"/"+file]
		if !ok || !strings.Contains(text, want) {
			t.Errorf("%s in %s is %.100q; want %q", file, name, text, want)
		}
		delete(files, top+"/"+file)
		if file == "NOTICES" && (!strings.Contains(text, "The Go Authors") || strings.Contains(text, "our licence") || strings.Contains(text, "of no work")) {
			t.Errorf("NOTICES is %s; want Go's licence, and not our own", text)
		}
		if file == exe {
			unpacked := filepath.Join(t.TempDir(), exe)
			if err := os.WriteFile(unpacked, []byte(text), 0o755); err != nil {
				t.Fatal(err)
			}
			out, err := exec.Command(unpacked, "version").CombinedOutput()
			if want := "v0.1.0 95be577040df example.com/lib/lib.go\n"; err != nil || string(out) != want {
				t.Errorf("version: %q, %v; want %q, without a directory", out, err, want)
			}
		}
	}
	for file := range files {
		t.Errorf("%s is in %s, and should not", file, name)
	}
}

// unpack returns the files of an archive, and checks their times and permissions.
func unpack(t *testing.T, archive []byte, at time.Time) map[string]string {
	t.Helper()
	files := make(map[string]string)
	if z, err := zip.NewReader(bytes.NewReader(archive), int64(len(archive))); err == nil {
		for _, f := range z.File {
			r, err := f.Open()
			if err != nil {
				t.Fatal(err)
			}
			text, err := io.ReadAll(r)
			if err != nil || f.Modified.Unix() != at.Unix()&^1 {
				t.Errorf("%s: %v, of %s; want the time of the commit", f.Name, err, f.Modified)
			}
			files[f.Name] = string(text)
		}
		return files
	}
	z, err := gzip.NewReader(bytes.NewReader(archive))
	if err != nil {
		t.Fatal(err)
	}
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if err == io.EOF {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		mode := int64(0o644)
		if strings.HasSuffix(h.Name, "/sluice") {
			mode = 0o755
		}
		if h.ModTime.Unix() != at.Unix() || h.Mode != mode || h.Uid != 0 || h.Uname != "" {
			t.Errorf("%s: of %s, mode %o, of user %d %q; want the time of the commit, mode %o, and no user", h.Name, h.ModTime, h.Mode, h.Uid, h.Uname, mode)
		}
		files[h.Name] = string(text)
	}
}

// TestZipped checks the archive for Windows, which this machine may not build.
func TestZipped(t *testing.T) {
	at := time.Unix(1700000001, 5)
	entries := []entry{{"top/a", []byte("one"), false}, {"top/b.exe", []byte("two"), true}}
	archive, err := zipped(entries, at)
	if err != nil {
		t.Fatal(err)
	}
	if files := unpack(t, archive, at); len(files) != 2 || files["top/a"] != "one" || files["top/b.exe"] != "two" {
		t.Errorf("the archive has %q", files)
	}
	again, err := zipped(entries, at.In(time.FixedZone("elsewhere", 3600)))
	if err != nil || !bytes.Equal(archive, again) {
		t.Errorf("the archive depends on the time zone (%v)", err)
	}
}

// TestNoLicence checks that a work without a licence is found.
func TestNoLicence(t *testing.T) {
	r := smallRelease(t, t.TempDir())
	if err := os.Rename(filepath.Join(r.root, "app/page/third_party/chart/LICENSE"), filepath.Join(r.root, "app/page/third_party/chart/README")); err != nil {
		t.Fatal(err)
	}
	if _, err := r.notices(t.Context(), r.platforms[0]); err == nil || !strings.HasPrefix(err.Error(), "chart has no licence file") {
		t.Errorf("notices = %v; want that the chart has no licence", err)
	}
}

// TestLicenceNames checks which files count as licences.
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

// TestAtTag checks that archives are only made of a tag.
func TestAtTag(t *testing.T) {
	w := repository(t)
	for _, test := range []struct {
		prepare func()
		want    string
	}{
		{func() {}, "there is no tag v0.2.0"},
		{func() { gitIn(t, "tag", "-a", "-m", "a tag", "v0.2.0") }, ""},
		{func() { write(t, "new", "") }, "the tree has changes"},
		{func() { gitIn(t, "add", "."); gitIn(t, "commit", "-qm", "more") }, "git checkout v0.2.0"},
	} {
		test.prepare()
		if err := atTag(t.Context(), w, "v0.2.0"); (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("atTag = %v; want %q", err, test.want)
		}
	}
	if err := atTag(t.Context(), w, "0.2"); err == nil {
		t.Error("atTag of no version = nil; want an error")
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

// TestThirdParty checks that each third party's work in this tree has its licence, and is named in
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

// TestSameLicence checks that each module has the tree's licence: a module's zip file only has
// files of its directory.
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

// TestNoReplace checks that go install accepts the modules: it refuses replace lines.
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
