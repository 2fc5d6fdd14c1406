package treegen

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestBuild builds one node of each kind, and examines them with package os.
func TestBuild(t *testing.T) {
	tree := Tree{
		{Mode: 0o700, Mtime: Time{5, 6}},
		{Path: "d", Kind: Dir, Mode: 0o2700, Mtime: Time{-3, 999999999}},
		{Path: "d/f", Kind: File, Mode: 0o4755, Size: 3 << 16, Data: []Extent{{1 << 16, 10, 4}}, Mtime: Time{8, 1}},
		{Path: "l", Kind: HardLink, Target: "d/f"},
		{Path: "s", Kind: Symlink, Target: "nowhere", Mtime: Time{9, 9}},
		{Path: "p", Kind: FIFO, Mode: 0o622},
	}
	dir := filepath.Join(t.TempDir(), "tree")
	if err := Build(dir, tree); err != nil {
		t.Fatal(err)
	}
	for _, n := range tree {
		info, err := os.Lstat(filepath.Join(dir, n.Path))
		if err != nil {
			t.Fatal(err)
		}
		st := info.Sys().(*syscall.Stat_t)
		sec, nsec := st.Mtim.Unix()
		if got := (Time{sec, nsec}); n.Kind != HardLink && n.Kind != FIFO && got != n.Mtime {
			t.Errorf("%q: time %v; want %v", n.Path, got, n.Mtime)
		}
		if n.Mode != 0 && st.Mode&0o7777 != n.Mode {
			t.Errorf("%q: mode %o; want %o", n.Path, st.Mode&0o7777, n.Mode)
		}
	}
	got, err := os.ReadFile(filepath.Join(dir, "l"))
	want := make([]byte, 3<<16)
	noise(want[1<<16:1<<16+10], 4, 0)
	if !bytes.Equal(got, want) || err != nil {
		t.Errorf("l has %d bytes, %v, that differ", len(got), err)
	}
}

// TestBuildRandom builds many random trees.
func TestBuildRandom(t *testing.T) {
	at := t.TempDir()
	o := Able(at)
	for seed := range uint64(60) {
		dir := filepath.Join(at, "tree")
		tree := Random(seed, o)
		if err := Build(dir, tree); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		found := 0
		err := filepath.WalkDir(dir, func(string, fs.DirEntry, error) error { found++; return nil })
		if found != len(tree) || err != nil {
			t.Errorf("seed %d: %d files, %v; want %d", seed, found, err, len(tree))
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
	}
}

// TestBuildDeep builds a path that is longer than PATH_MAX.
func TestBuildDeep(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	tree, p := Tree{{Mode: 0o755}}, strings.Repeat("x", 200)
	for range 25 {
		tree = append(tree, Node{Path: p, Kind: Dir, Mode: 0o755})
		p += "/" + strings.Repeat("x", 200)
	}
	if err := Build(dir, tree); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Error(err)
	}
}

// TestBuildSaysWhat checks that an error names the node.
func TestBuildSaysWhat(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "tree")
	err := Build(dir, Tree{{}, {Path: "a"}, {Path: "a"}})
	if !errors.Is(err, unix.EEXIST) || !strings.Contains(err.Error(), `Dir "a"`) {
		t.Errorf("Build = %v; want EEXIST of a", err)
	}
}
