//go:build amd64 || arm64

package walk

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/attr"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestRefusedAttributes has a system that refuses one kind of attribute. New and overwritten copies
// must stay, each with an error.
func TestRefusedAttributes(t *testing.T) {
	for _, op := range []string{"chown", "chmod", "utimensat", "setxattr", "listxattr", "getxattr"} {
		t.Run(op, func(t *testing.T) {
			for _, errno := range []syscall.Errno{syscall.EPERM, syscall.EOPNOTSUPP, syscall.EIO} {
				testRefused(t, op, errno)
			}
			if op == "setxattr" { // no room in the inode
				testRefused(t, op, syscall.ENOSPC)
			}
		})
	}
}

func testRefused(t *testing.T, op string, errno syscall.Errno) {
	dir := memoryDir(t)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	names := []string{"new", "old", "in/new", "in/old"}
	for _, name := range names {
		write(t, filepath.Join(src, name), "content of "+name)
		if err := unix.Setxattr(filepath.Join(src, name), "user.a", []byte("b"), 0); err != nil {
			skip.Forf(t, skip.Xattr, "no extended attributes in %s: %v", dir, err)
		}
	}
	write(t, filepath.Join(dst, "old"), "what was there before, and is longer")
	write(t, filepath.Join(dst, "in/old"), "likewise")
	if err := os.Link(filepath.Join(src, "new"), filepath.Join(src, "linked")); err != nil {
		t.Fatal(err)
	}
	k := at.New()
	k.Fault = func(called string) error {
		if called == op {
			return errno
		}
		return nil
	}
	var failed []string
	r, err := run(t, t.Context(), k, dst, src, option.Options{
		Preserve: option.PreserveAll, Require: option.PreserveAll,
		OnError: func(e *report.Error) { failed = append(failed, e.Dst) },
	})
	if !errors.Is(err, errno) || r.Failed == 0 || r.Failed > int64(len(failed)) {
		t.Errorf("%v: Copy = %d failed, %v; want %v", errno, r.Failed, err, errno)
	}
	if r.Files != 4 || r.Links != 1 {
		t.Errorf("%v: %d files, %d links; want 4, 1", errno, r.Files, r.Links)
	}
	for _, name := range append(names, "linked") {
		want := "content of " + name
		if name == "linked" {
			want = "content of new"
		}
		if got, err := os.ReadFile(filepath.Join(dst, name)); string(got) != want || err != nil {
			t.Errorf("%v: %s is %q, %v; want %q", errno, name, got, err, want)
		}
	}
	if !slices.Contains(failed, filepath.Join(dst, "in/old")) {
		t.Errorf("%v: only the errors of %q were reported", errno, failed)
	}
}

// TestRefusedBackup has a copy that replaced a file with a backup, and whose attribute is refused.
// The backup must get its name back.
func TestRefusedBackup(t *testing.T) {
	dir := memoryDir(t)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	write(t, src, "new")
	write(t, dst, "old")
	k := at.New()
	k.Fault = func(op string) error {
		if op == "chown" {
			return syscall.EPERM
		}
		return nil
	}
	o := option.Options{Preserve: option.PreserveAll, Require: option.PreserveOwner, Backup: func(dst string) (string, error) { return dst + "~", nil }}
	if _, err := run(t, t.Context(), k, dst, src, o); !errors.Is(err, syscall.EPERM) {
		t.Errorf("Copy = %v; want EPERM", err)
	}
	if got, err := os.ReadFile(dst); string(got) != "old" || err != nil {
		t.Errorf("there is %q, %v; want what was there", got, err)
	}
	if _, err := os.Lstat(dst + "~"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the backup is left: %v", err)
	}
}

// TestRefusedACL copies a file to a file system without ACLs. Its ACL gives more to a user than to
// the group, and the group bits of its mode are the user's. The group of the copy must not get
// them.
func TestRefusedACL(t *testing.T) {
	dir := memoryDir(t)
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	write(t, src, "content")
	// user::rw-, user:1:rw-, group::---, mask::rw-, other::---
	acl := "\x02\x00\x00\x00" + "\x01\x00\x06\x00\xff\xff\xff\xff" + "\x02\x00\x06\x00\x01\x00\x00\x00" +
		"\x04\x00\x00\x00\xff\xff\xff\xff" + "\x10\x00\x06\x00\xff\xff\xff\xff" + "\x20\x00\x00\x00\xff\xff\xff\xff"
	if err := unix.Setxattr(src, attr.ACLAccess, []byte(acl), 0); err != nil {
		skip.Forf(t, skip.ACL, "no ACLs in %s: %v", dir, err)
	}
	k := at.New()
	k.Fault = func(op string) error {
		if op == "setxattr" {
			return syscall.EOPNOTSUPP
		}
		return nil
	}
	_, err := run(t, t.Context(), k, dst, src, option.Options{Preserve: option.PreserveMode})
	var e *report.Error
	if !errors.As(err, &e) || e.Op != "setxattr "+attr.ACLAccess {
		t.Errorf("Copy = %v; want one of the ACL", err)
	}
	if info, err := os.Stat(dst); err != nil || info.Mode() != 0o600 {
		t.Errorf("the copy's mode is %v, %v; want 0600", info.Mode(), err)
	}
}
