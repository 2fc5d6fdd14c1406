package copytree_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestRequiredXattr checks, on each architecture, that an extended attribute is copied or is an
// error. amd64 and arm64 have other calls than the rest.
func TestRequiredXattr(t *testing.T) {
	dir := t.TempDir()
	src, dst := filepath.Join(dir, "src"), filepath.Join(dir, "dst")
	if err := os.WriteFile(src, []byte("a file"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Setxattr(src, "user.colour", []byte("red"), 0); err != nil {
		skip.For(t, skip.Xattr, err)
	}
	const xattr = copytree.PreserveXattr
	if _, err := copytree.Copy(t.Context(), dst, src, copytree.Options{Preserve: xattr}); err != nil {
		t.Errorf("Copy that tries: %v", err)
	}
	if err := os.Remove(dst); err != nil {
		t.Fatal(err)
	}
	if _, err := copytree.Copy(t.Context(), dst, src, copytree.Options{Preserve: xattr, Require: xattr}); err != nil {
		t.Log(err)
		return
	}
	value := make([]byte, 10)
	n, err := unix.Getxattr(dst, "user.colour", value)
	if err != nil || string(value[:n]) != "red" {
		t.Errorf("the copy has %q, %v; want red, or an error of Copy", value[:max(n, 0)], err)
	}
}
