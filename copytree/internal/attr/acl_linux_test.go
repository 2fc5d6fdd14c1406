package attr

import (
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// TestGivesACL checks that a directory may give an ACL if its default ACL cannot be read.
func TestGivesACL(t *testing.T) {
	k := at.New()
	fd, err := k.OpenDir(-1, at.NameOf(t.TempDir()), at.NoFollow)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close(fd)
	for _, c := range []struct {
		err  error
		want bool
	}{{nil, false}, {at.ErrNoXattr, false}, {syscall.EPERM, false}, {syscall.EOPNOTSUPP, false}, {syscall.EIO, true}, {syscall.ENOMEM, true}} {
		k.Fault = func(string) error { return c.err }
		if got := GivesACL(k, fd); got != c.want {
			t.Errorf("GivesACL with %v = %t; want %t", c.err, got, c.want)
		}
	}
}
