//go:build unix

package toolbox

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// fakeGo is a go command that writes down each install, and installs a program.
const fakeGo = `#!/bin/sh
case $1 in
env) printf '/go\ngo1.26.8\n%s\n\n' "$GOFLAGS" ;;
install) echo "$@" >>"$INSTALLS"; echo program >"$GOBIN/sluice-tools" ;;
esac
`

// TestBuildIn counts the installs of sluice-tools in a tree: one after each change of something
// that may be built, and none without.
func TestBuildIn(t *testing.T) {
	dir := t.TempDir()
	root, log := filepath.Join(dir, "repository"), filepath.Join(dir, "installs")
	tree := filepath.Join(root, "cmd", "sluice")
	put := func(name, text string) {
		t.Helper()
		old := time.Now().Add(-time.Hour)
		name = filepath.Join(root, name)
		for _, err := range []error{
			os.MkdirAll(filepath.Dir(name), 0o777), os.WriteFile(name, []byte(text), 0o700), os.Chtimes(name, old, old),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	put("../bin/go", fakeGo)
	put("go.mod", "module library\n")
	put("file.go", "package library\n")
	put("page.html", "<p>")
	put("cmd/sluice/go.mod", "module sluice\n")
	put("cmd/sluice/sluice-tools/main.go", "package main\n")
	t.Setenv("PATH", filepath.Join(dir, "bin")+":"+os.Getenv("PATH"))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("HOME", dir) // where there is no XDG_CACHE_HOME
	t.Setenv("INSTALLS", log)
	t.Setenv("GOFLAGS", "")
	total, later := 0, time.Now().Add(time.Hour)
	for _, step := range []struct {
		name   string
		change func()
		want   int
	}{
		{"the first call", func() {}, 1},
		{"no change", func() {}, 0},
		{"a Go file of the library", func() { put("file.go", "package Library\n") }, 1},
		{"a Go file of the command", func() { put("cmd/sluice/sluice-tools/main.go", "package Main\n") }, 1},
		{"no change after these", func() {}, 0},
		{"a new file", func() { put("cmd/sluice/sluice-tools/new_linux.go", "package main\n") }, 1},
		{"a removed file", func() { _ = os.Remove(filepath.Join(tree, "sluice-tools", "new_linux.go")) }, 1},
		{"a file that may be embedded", func() { put("page.html", "<p><p>") }, 1},
		{"go.mod", func() { put("go.mod", "module library // new\n") }, 1},
		{"GOFLAGS", func() { t.Setenv("GOFLAGS", "-tags=x") }, 1},
		{"a directory that go ignores", func() { put(".git/HEAD", "main") }, 0},
		{"a flag that names a file", func() { t.Setenv("GOFLAGS", "-overlay=x") }, 1},
		{"the same flag", func() {}, 1},
		{"without it", func() { t.Setenv("GOFLAGS", "-tags=x") }, 1},
		{"another program in its place", func() {
			file, err := buildIn(tree)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(file, []byte("another"), 0o700); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"a file that may still change", func() {
			put("file.go", "package library\n")
			if err := os.Chtimes(filepath.Join(root, "file.go"), later, later); err != nil {
				t.Fatal(err)
			}
		}, 1},
		{"the same file", func() {}, 1},
	} {
		step.change()
		file, err := buildIn(tree)
		if err != nil {
			t.Fatalf("after %s: %v", step.name, err)
		}
		if text, err := os.ReadFile(file); string(text) != "program\n" {
			t.Errorf("after %s: the program is %q, %v", step.name, text, err)
		}
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(string(text), "\n") - total; n != step.want {
			t.Errorf("after %s: %d installs; want %d", step.name, n, step.want)
		}
		total = strings.Count(string(text), "\n")
	}
}
