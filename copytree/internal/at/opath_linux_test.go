//go:build amd64 || arm64

package at

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestOpenCopyUnreadable opens a directory that the process may not read.
func TestOpenCopyUnreadable(t *testing.T) {
	dir := t.TempDir()
	if err := errors.Join(os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(dir, 0o333)); err != nil {
		t.Fatal(err)
	}
	want := idOf(t, dir)
	asNobody(t, func() {
		if fd, err := New().OpenMade(unix.AT_FDCWD, NameOf(dir), NoFollow); err != unix.EACCES {
			t.Errorf("OpenMade = %d, %v; want EACCES", fd, err)
		}
		fd, err := New().OpenCopy(unix.AT_FDCWD, NameOf(dir), NoFollow)
		if err != nil {
			t.Errorf("OpenCopy: %v", err)
			return
		}
		defer unix.Close(fd)
		var s Stat
		if err := New().Fstat(fd, new(Raw), &s); err != nil || s.ID != want {
			t.Errorf("Fstat = %v, %v; want %v, nil", s.ID, err, want)
		}
		if err := New().Mkdir(fd, NameOf("new"), 0o777); err != nil {
			t.Errorf("Mkdir: %v", err)
		}
	})
}

// TestAttributesOfOPath sets and reads attributes through an O_PATH descriptor. Another directory
// has taken its name, and must stay as it is.
func TestAttributesOfOPath(t *testing.T) {
	k, top := New(), t.TempDir()
	dir, moved := filepath.Join(top, "dir"), filepath.Join(top, "moved")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	fd, err := k.OpenBase(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close(fd)
	if err := errors.Join(os.Rename(dir, moved), os.Mkdir(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	f := File{FD: fd}
	when := Time{Sec: 1e9, Nsec: 123456789}
	err = errors.Join(k.Chown(f, os.Getuid(), os.Getgid()), k.Chmod(f, 0o1751), k.SetTimes(f, when, when))
	var s, other Stat
	err = errors.Join(err, k.Stat(unix.AT_FDCWD, NameOf(moved), NoFollow, &s), k.Stat(unix.AT_FDCWD, NameOf(dir), NoFollow, &other))
	if err != nil || s.Mode&ModeBits != 0o1751 || s.Mtime != when {
		t.Errorf("mode %o, time %v, %v; want 1751, %v", s.Mode&ModeBits, s.Mtime, err, when)
	}
	if other.Mode&ModeBits != 0o755 || other.Mtime == when {
		t.Errorf("the other directory has mode %o, time %v; want 755, and another time", other.Mode&ModeBits, other.Mtime)
	}
	if err := k.SetXattr(f, "user.a", []byte("b")); err == unix.EOPNOTSUPP {
		skip.Forf(t, skip.Xattr, "no extended attributes in %s", top)
	} else if err != nil {
		t.Fatalf("SetXattr: %v", err)
	}
	names, err := k.Xattrs(f)
	value, valueErr := k.Xattr(f, "user.a")
	if !slices.Contains(names, "user.a") || string(value) != "b" || err != nil || valueErr != nil {
		t.Errorf("Xattrs = %q, %v, Xattr = %q, %v; want user.a, b", names, err, value, valueErr)
	}
	if err := k.RemoveXattr(f, "user.a"); err != nil {
		t.Errorf("RemoveXattr: %v", err)
	}
	if _, err := k.Xattr(f, "user.a"); err != ErrNoXattr {
		t.Errorf("Xattr = %v; want ErrNoXattr", err)
	}
}

// TestNoProc checks the error of a call that needs /proc: it is not the ENOENT of a removed file.
func TestNoProc(t *testing.T) {
	if err := (File{FD: 1 << 30}).viaProc(func(path string) error { return unix.Chmod(path, 0o700) }); err != errNoProc {
		t.Errorf("viaProc = %v; want %v", err, errNoProc)
	}
}
