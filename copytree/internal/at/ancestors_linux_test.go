//go:build amd64 || arm64

package at

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestAncestorsOfClosed checks that Ancestors ends, without an error, at a directory that the
// process may not search. So a user can copy into a directory below a closed one.
func TestAncestorsOfClosed(t *testing.T) {
	closed := filepath.Join(t.TempDir(), "closed")
	inner := filepath.Join(closed, "inner")
	if err := errors.Join(os.MkdirAll(inner, 0o755), os.Chmod(inner, 0o755)); err != nil {
		t.Fatal(err)
	}
	dir, err := unix.Open(inner, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(dir)
	want := []ID{idOf(t, inner), idOf(t, closed)}
	if err := os.Chmod(closed, 0); err != nil {
		t.Fatal(err)
	}
	defer os.Chmod(closed, 0o700) // else TempDir cannot remove it
	asNobody(t, func() {
		got, err := New().Ancestors(dir, Dot, NoFollow)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("Ancestors = %v, %v; want %v, nil", got, err, want)
		}
	})
}

// idOf returns the ID of the file at path.
func idOf(t *testing.T, path string) ID {
	t.Helper()
	var s Stat
	if err := New().Stat(unix.AT_FDCWD, NameOf(path), NoFollow, &s); err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// asNobody calls do on a thread that opens files as user nobody if the process is root, because
// root may search all directories.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	root := false
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if os.Geteuid() == 0 {
			_ = unix.Setfsuid(65534) // it returns no error
			now, _ := unix.SetfsuidRetUid(-1)
			root = now == 0
		}
		if !root {
			do()
		}
	}()
	if <-done; root {
		skip.For(t, skip.Limits, "root may not become another user here")
	}
}
