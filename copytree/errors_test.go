package copytree_test

import (
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/copytree"
)

// TestFull: the destination is full if it has no room for any file, and not if one file has no room for an attribute.
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
