package copies

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/tree"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// place returns a place in a directory of the test. It drops only its files from caches.
func place(t *testing.T) (p *Place, dir string) {
	t.Helper()
	old := dropAll
	dropAll = filepath.Join(t.TempDir(), "nothing")
	t.Cleanup(func() { dropAll = old })
	dir = t.TempDir()
	spec := Spec{Dir: dir, NoImage: true, Shape: tree.Shape{Levels: 3, Width: 2, FileSize: 100}}
	p, err := Open(t.Context(), spec, func(string, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		empty(t, dir)
	})
	return p, dir
}

func empty(t *testing.T, dir string) {
	t.Helper()
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
}

// script returns a contender that copies $1 to $2.
func script(text string) Contender {
	return Contender{Name: "script", Argv: []string{"sh", "-c", text, "sh"}, Version: []string{"-c", ":"}}
}

var allModes = []Mode{
	{Name: "regular"},
	{Name: "cold", Cold: true, Sync: SyncFS},
	{Name: "every-fsync", Cold: true, Sync: SyncFiles},
	{Name: "part", Part: true},
}

func TestCopy(t *testing.T) {
	p, _ := place(t)
	if a := p.About(); a.Sum.Files != 14 || a.Part.Files != 6 || a.Kind == "" {
		t.Errorf("place is %+v; want a tree of 14 files, a part of 6, and a file system", a)
	}
	for _, m := range allModes {
		u, err := p.Copy(t.Context(), script(`cp -r "$1" "$2"`), m, true)
		if err != nil || u.Elapsed <= 0 || u.CPU <= 0 {
			t.Errorf("%s: Copy = %+v, %v; want a time", m.Name, u, err)
		}
	}
	slash := script(`case $1 in */) cp -r "$1" "$2";; *) exit 1;; esac`)
	slash.Contents = true
	if _, err := p.Copy(t.Context(), slash, allModes[0], true); err != nil {
		t.Errorf("Copy of a directory's contents = %v", err)
	}
	if left, _ := os.ReadDir(p.work); len(left) != 1 {
		t.Errorf("%d entries beside the source are left", len(left)-1)
	}
}

// TestCopyOfNothing runs programs that make no copy. One of them exits with status 0.
func TestCopyOfNothing(t *testing.T) {
	p, _ := place(t)
	for text, says := range map[string]string{
		`mkdir "$2"`:                               "the copy has 0 files, not 14",
		`cp -r "$1" "$2"; echo more >"$2/file0"`:   "bytes, not 1400",
		`echo the disk is full >&2; exit 4`:        "exit status 4: the disk is full",
		`true`:                                     "the copy cannot be read",
		`cp -r "$1" "$2"; mv "$2/file0" "$2/file"`: "names or contents",
	} {
		_, err := p.Copy(t.Context(), script(text), allModes[0], true)
		failed, ok := errors.AsType[*FailedError](err)
		if !ok || !strings.Contains(failed.Error(), says) {
			t.Errorf("Copy by %q = %v; want a FailedError with %q", text, err, says)
		}
	}
	missing := Contender{Name: "cq", Argv: []string{"no-such-program"}}
	if _, err := p.Copy(t.Context(), missing, allModes[0], false); err == nil || p.Has(missing) {
		t.Errorf("Copy by what is not there = %v; want an error", err)
	}
}

func TestCopyIsStopped(t *testing.T) {
	p, _ := place(t)
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	fifo := filepath.Join(t.TempDir(), "fifo")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		skip.Forf(t, skip.Shell, "%v: %s", err, out)
	}
	started := make(chan error, 1)
	go func() { // ends when the script opens the other end
		_, err := os.ReadFile(fifo)
		cancel(enough)
		started <- err
	}()
	_, err := p.Copy(ctx, script(`mkdir "$2"; echo >'`+fifo+`'; sleep 3600`), allModes[0], false)
	if !errors.Is(err, enough) || <-started != nil {
		t.Errorf("Copy = %v; want the cause of the end", err)
	}
	if left, _ := os.ReadDir(p.work); len(left) != 1 {
		t.Error("the half of a copy is left")
	}
}

func TestOpenIsStopped(t *testing.T) {
	dir := t.TempDir()
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := errors.New("enough")
	spec := Spec{Dir: dir, NoImage: true, Shape: tree.Shape{Levels: 3, Width: 2, FileSize: 100}}
	_, err := Open(ctx, spec, func(string, float64) { cancel(enough) })
	if !errors.Is(err, enough) {
		t.Errorf("Open = %v; want the cause of the end", err)
	}
	empty(t, dir)
}

func TestNoSpace(t *testing.T) {
	dir := t.TempDir()
	for _, noImage := range []bool{true, false} {
		spec := Spec{Dir: dir, NoImage: noImage, Shape: tree.Shape{Levels: 9, Width: 9, FileSize: 1 << 30}}
		_, err := Open(t.Context(), spec, func(string, float64) {})
		if err == nil || !strings.Contains(err.Error(), "not enough space in "+dir) {
			t.Errorf("Open of an exbibyte = %v", err)
		}
		empty(t, dir)
	}
}

// TestNoImage has no mkfs. The directory must be used, with a note, unless the user named a file
// system.
func TestNoImage(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("PATH", t.TempDir())
	spec := Spec{Dir: dir, Shape: tree.Shape{Levels: 1, Width: 1, FileSize: 1}}
	p, err := Open(t.Context(), spec, func(string, float64) {})
	if err != nil {
		t.Fatal(err)
	}
	if notes := strings.Join(p.About().Notes, " "); !strings.Contains(notes, "no image of a file system") {
		t.Errorf("notes are %q; want that there is no image", notes)
	}
	if err := p.Close(); err != nil {
		t.Error(err)
	}
	spec.Kind = "xfs"
	if _, err := Open(t.Context(), spec, func(string, float64) {}); err == nil {
		t.Error("Open with xfs = nil; want the reason")
	}
	empty(t, dir)
}
