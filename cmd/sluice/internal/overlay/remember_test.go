package overlay

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestHead compares files by what go list reads of them.
func TestHead(t *testing.T) {
	const file = "// Copyright\n\n//go:build linux\n\n// Package p is one.\npackage p\n\nimport \"os\"\n\nvar x = os.Args\n"
	const embeds = "package p\n\nimport _ \"embed\"\n\n//go:embed a.txt\nvar x string\n"
	for _, c := range []struct {
		name, one, other string
		same             bool
	}{
		{"a body", file, file + "func f() {}\n", true},
		{"a comment below the imports", file, file + "// go:build other\n", true},
		{"a build constraint", file, "//go:build windows\n\npackage p\n\nimport \"os\"\n", false},
		{"a name", "package p\n", "package q\n", false},
		{"an import", file, "package p\n\nimport \"io\"\n", false},
		{"a second import", "package p\n\nimport \"os\"\n", "package p\n\nimport \"os\"\nimport \"io\"\n", false},
		{"an import of C", "package p\n\nimport \"C\"\n", "package p\n", false},
		{"a pattern", embeds, embeds + "//go:embed b.txt\nvar y string\n", false},
		{"another pattern", embeds, "package p\n\nimport _ \"embed\"\n\n//go:embed b.txt\nvar x string\n", false},
		{"a body beside a pattern", embeds, embeds + "func f() {}\n", true},
		{"a pattern of raw quotes", "package p\n\nimport _ `embed`\n", "package p\n\nimport _ `embed`\n\n//go:embed b.txt\nvar y string\n", false},
		{"no Go", "package", "package p p", false},
		{"what begins no import", "package p\n\nimport\n", "package p\n\nimport\n\nimport \"os\"\n", false},
	} {
		if same := string(head([]byte(c.one))) == string(head([]byte(c.other))); same != c.same {
			t.Errorf("%s: the heads are the same: %t; want %t", c.name, same, c.same)
		}
	}
}

// tree is a directory whose files are old.
type tree struct {
	*testing.T
	dir string
	age time.Duration
}

func (t *tree) put(name, text string) {
	t.Helper()
	write(t.T, filepath.Join(t.dir, name), text)
	t.old()
}

func (t *tree) remove(name string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(t.dir, name)); err != nil {
		t.Fatal(err)
	}
	t.old()
}

// old makes all of the tree old, and not as old as before.
func (t *tree) old() {
	t.Helper()
	t.age += time.Second
	at := time.Now().Add(t.age - time.Hour)
	if err := filepath.WalkDir(t.dir, func(name string, _ os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Chtimes(name, at, at)
	}); err != nil {
		t.Fatal(err)
	}
}

// TestAsk counts how often go list would run.
func TestAsk(t *testing.T) {
	tr := &tree{T: t, dir: t.TempDir()}
	tr.put("m/go.mod", "module m\n")
	tr.put("m/a/a.go", "package a\n")
	tr.put("m/other/other.go", "package other\n")
	tr.put("m/all/page.html", "page")
	tr.put("m/tests/a_test.go", "package a\n")
	asked := 0
	in := func(name string) string { return filepath.Join(tr.dir, name) }
	places := []place{
		{Name: in("m/go.mod"), Whole: true},
		{Name: in("m/vendor/modules.txt"), Whole: true},
		{Name: in("m/a"), Dir: true},
		{Name: in("m"), Dir: true, Tree: true},
		{Name: in("m/all"), Dir: true, Tree: true, Names: true},
		{Name: in("m/tests"), Dir: true, Tests: true},
	}
	s := store{t.TempDir()}
	count := func() int {
		t.Helper()
		before := asked
		answer, err := ask(s, "answer", keyOf("key"), func() (string, []place, error) {
			asked++
			return "answer", places, nil
		})
		if answer != "answer" || err != nil {
			t.Fatalf("ask = %q, %v", answer, err)
		}
		return asked - before
	}
	for _, step := range []struct {
		name   string
		change func()
		want   int
	}{
		{"the first", func() {}, 1},
		{"a body", func() { tr.put("m/a/a.go", "package a\n\nfunc f() {}\n") }, 0},
		{"an import", func() { tr.put("m/a/a.go", "package a\n\nimport _ \"os\"\n") }, 1},
		{"a new file", func() { tr.put("m/a/b_windows.go", "package a\n") }, 1},
		{"a removed file", func() { tr.remove("m/a/b_windows.go") }, 1},
		{"a renamed file", func() { tr.put("m/a/c.go", "package a\n"); tr.remove("m/a/a.go") }, 1},
		{"a file without Go", func() { tr.put("m/a/text", "text") }, 0},
		{"a test", func() { tr.put("m/a/a_test.go", "package a\n") }, 0},
		{"a test of a package whose tests count", func() { tr.put("m/tests/a_test.go", "package a\n\nimport _ \"io\"\n") }, 1},
		{"a file that go ignores", func() { tr.put("m/a/_b.go", "package b\n") }, 0},
		{"a new package in the tree", func() { tr.put("m/new/new.go", "package main\n") }, 1},
		{"its name", func() { tr.put("m/new/new.go", "package new\n") }, 1},
		{"directories that go ignores", func() {
			tr.put("m/_x/x.go", "package x\n")
			tr.put("m/.x/x.go", "package x\n")
			tr.put("m/testdata/x.go", "package x\n")
		}, 0},
		{"go.mod", func() { tr.put("m/go.mod", "module m // new\n") }, 1},
		{"a module below", func() { tr.put("m/other/go.mod", "module o\n") }, 1},
		{"its files", func() { tr.put("m/other/other.go", "package main\n") }, 0},
		{"no module below", func() { tr.remove("m/other/go.mod") }, 1},
		{"a vendor directory", func() { tr.put("m/vendor/modules.txt", "# m\n") }, 1},
		{"another in it", func() { tr.put("m/vendor/modules.txt", "# n\n") }, 1},
		{"no vendor directory", func() { tr.remove("m/vendor") }, 1},
		{"a name", func() { tr.put("m/all/below/page.css", "page") }, 1},
		{"the content of a file with a name alone", func() { tr.put("m/all/page.html", "another") }, 0},
		{"a file that may still change", func() {
			tr.put("m/a/c.go", "package a\n\nimport _ \"io\"\n")
			if err := os.Chtimes(in("m/a/c.go"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"the same", func() {}, 1},
		{"the same, old", tr.old, 1},
		{"the same once more", func() {}, 0},
		{"a directory that may still change", func() {
			tr.put("m/a/d.go", "package a\n")
			if err := os.Chtimes(in("m/a"), time.Time{}, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"no change of it", func() {}, 1},
		{"a damaged record", func() {
			tr.old()
			count()
			write(t, filepath.Join(s.dir, "answer-"+keyOf("key")+".json"), `{"Places":null}`)
		}, 1},
		{"a link to the same directory", func() {
			tr.old()
			count()
			if err := os.Symlink(in("m"), in("link")); err != nil {
				t.Fatal(err)
			}
			places = []place{{Name: in("link"), Dir: true, Tree: true}}
			tr.put("m/go.mod", "module m // linked\n")
		}, 1},
		{"a package below the link", func() { tr.put("m/linked/linked.go", "package linked\n") }, 1},
		{"no place", func() { places = nil; tr.put("m/linked/new.go", "package linked\n") }, 1},
		{"still no place", func() {}, 1},
	} {
		step.change()
		if n := count(); n != step.want {
			t.Errorf("after %s go list runs %d times; want %d", step.name, n, step.want)
		}
		if n := count(); step.want == 0 && n != 0 {
			t.Errorf("after %s go list runs again", step.name)
		}
	}
}

// TestSet makes a set once, and once more where something is missing or damaged.
func TestSet(t *testing.T) {
	s, instead := store{filepath.Join(t.TempDir(), "store")}, t.TempDir()
	files := map[string][]byte{"a.go": []byte("package a\n"), "below/b.go": []byte("package b\n")}
	made := 0
	get := func() string {
		t.Helper()
		got, err := s.set("kind", "key", instead, func() (map[string][]byte, error) {
			made++
			return files, nil
		})
		if err != nil || len(got.names) != len(files) {
			t.Fatalf("set = %q, %v", got.names, err)
		}
		for name, text := range files {
			if got, err := os.ReadFile(filepath.Join(got.dir, name)); string(got) != string(text) {
				t.Errorf("%s is %q, %v", name, got, err)
			}
		}
		return got.dir
	}
	dir := get()
	for _, step := range []struct {
		name   string
		change func() error
		want   int
	}{
		{"no change", func() error { return nil }, 0},
		{"a removed file", func() error { return os.Remove(filepath.Join(dir, "below/b.go")) }, 1},
		{"a file of nothing", func() error { return os.Truncate(filepath.Join(dir, "a.go"), 0) }, 1},
		{"another of the same size", func() error { return os.WriteFile(filepath.Join(dir, "a.go"), []byte("package b\n"), 0o666) }, 1},
		{"no index", func() error { return os.Remove(filepath.Join(dir, indexFile)) }, 1},
		{"half an index", func() error { return os.Truncate(filepath.Join(dir, indexFile), 10) }, 1},
		{"nothing left", func() error { return os.RemoveAll(s.dir) }, 1},
		{"no change at the end", func() error { return nil }, 0},
	} {
		if err := step.change(); err != nil {
			t.Fatal(err)
		}
		before := made
		if get(); made-before != step.want {
			t.Errorf("after %s the set is made %d times; want %d", step.name, made-before, step.want)
		}
	}
	s = store{filepath.Join(dir, "a.go", "store")}
	if got := get(); got != instead {
		t.Errorf("a store that cannot be has its files in %s", got)
	}
	s = store{}
	if got := get(); got != instead {
		t.Errorf("no store has its files in %s", got)
	}
}

// TestForget removes what no call has used for long.
func TestForget(t *testing.T) {
	s := store{t.TempDir()}
	set := func(key string) string {
		t.Helper()
		got, err := s.set("kind", key, "", func() (map[string][]byte, error) { return map[string][]byte{"a": nil}, nil })
		if err != nil {
			t.Fatal(err)
		}
		return got.dir
	}
	old, used, record := set("old"), set("used"), filepath.Join(s.dir, "program-x.json")
	write(t, record, "{}")
	long := time.Now().Add(-unused - time.Hour)
	for _, name := range []string{filepath.Join(old, indexFile), old, record, filepath.Join(s.dir, "go.mod"), used, filepath.Join(used, indexFile)} {
		if err := os.Chtimes(name, long, long); err != nil {
			t.Fatal(err)
		}
	}
	set("used")
	set("new")
	for name, want := range map[string]bool{old: false, used: true, record: false, filepath.Join(s.dir, "go.mod"): true} {
		if got := there(name); got != want {
			t.Errorf("%s is there: %t; want %t", name, got, want)
		}
	}
}

// TestTimes: files of the same size that differ have different times, which do not change. The go
// command takes a file of the same name, size and time for the same.
func TestTimes(t *testing.T) {
	one, other := timeOf([]byte("package a\n")), timeOf([]byte("package b\n"))
	if one.Equal(other) || !one.Equal(timeOf([]byte("package a\n"))) {
		t.Errorf("times are %s and %s", one, other)
	}
	if at := time.Now().Add(-24 * time.Hour); one.After(at) || other.After(at) {
		t.Errorf("times are %s and %s; want old ones", one, other)
	}
}
