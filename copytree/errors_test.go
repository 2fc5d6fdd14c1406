package copytree_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/copytree"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestFull checks that the destination is full if it has no room for any file, and is not if one
// file has no room for an attribute.
func TestFull(t *testing.T) {
	for _, c := range []struct {
		op, path string
		err      error
		want     bool
	}{
		{"write", "dst", syscall.ENOSPC, true},
		{"mkdir", "dst", syscall.EDQUOT, true},
		{"write", "dst", syscall.EIO, false},
		{"read", "src", syscall.ENOSPC, false},
		{"setxattr", "dst", syscall.ENOSPC, false},
		{"setxattr system.posix_acl_access", "dst", syscall.ENOSPC, false},
	} {
		e := copytree.Error{Op: c.op, Src: "src", Dst: "dst", Path: c.path, Err: c.err}
		if got := e.Full(); got != c.want {
			t.Errorf("Full of %q = %t; want %t", e.Error(), got, c.want)
		}
	}
}

// TestExists checks that the error is ErrExists for a file that must stay at the destination, and
// for a symbolic link that leads nowhere.
func TestExists(t *testing.T) {
	dir := t.TempDir()
	src, file, link := filepath.Join(dir, "src"), filepath.Join(dir, "file"), filepath.Join(dir, "link")
	for _, name := range []string{src, file} {
		if err := os.WriteFile(name, []byte(name), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("nowhere", link); err != nil {
		skip.Forf(t, skip.Special, "no symbolic links here: %v", err)
	}
	for dst, o := range map[string]copytree.Options{file: {Existing: copytree.SkipFail}, link: {}} {
		_, err := copytree.Copy(t.Context(), dst, src, o)
		if e, ok := errors.AsType[*copytree.Error](err); !ok || !errors.Is(err, copytree.ErrExists) || e.Dst != dst {
			t.Errorf("Copy to %s = %v; want an *Error with ErrExists", filepath.Base(dst), err)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "nowhere")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the file that the link leads to: %v; want none", err)
	}
}

// TestCanceledWithErrors checks that the error of Copy joins the context's cause and the errors of
// files.
func TestCanceledWithErrors(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	for _, name := range []string{filepath.Join(src, "file"), filepath.Join(dst, "file")} {
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o700), os.WriteFile(name, nil, 0o600)); err != nil {
			t.Fatal(err)
		}
	}
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := copytree.Copy(ctx, dst, src, copytree.Options{
		Existing: copytree.SkipFail,
		OnError:  func(*copytree.Error) { cancel(cause) },
	})
	if !errors.Is(err, cause) || !errors.Is(err, copytree.ErrExists) {
		t.Errorf("Copy = %v; want the cause and ErrExists", err)
	}
	if _, ok := errors.AsType[*copytree.Error](err); !ok {
		t.Errorf("Copy = %#v; want an *Error in it", err)
	}
}

// TestNilContext checks that a nil context is an error.
func TestNilContext(t *testing.T) {
	var none context.Context
	if _, err := copytree.Copy(none, "copy", "file", copytree.Options{}); err == nil || !strings.Contains(err.Error(), "the context is nil") {
		t.Errorf("Copy = %v; want that the context is nil", err)
	}
}
