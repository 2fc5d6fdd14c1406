package attr

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestXattrOfReadOnlyFile checks that a copy without write permission gets it during setxattr. If
// that chmod fails, the attribute is missing, which is an error.
func TestXattrOfReadOnlyFile(t *testing.T) {
	dir, k := t.TempDir(), at.New()
	open := func(name string) at.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return at.File{FD: int(f.Fd())}
	}
	src, dst := open("src"), open("dst")
	const name = "user.attribute"
	if err := unix.Fsetxattr(src.FD, name, []byte("value"), 0); err != nil {
		skip.For(t, skip.Xattr, "no extended attributes: ", err)
	}
	var s at.Stat
	var raw at.Raw
	if err := k.Fstat(src.FD, &raw, &s); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ chmod, want error }{{nil, nil}, {syscall.EIO, syscall.EIO}} {
		set := 0
		k.Fault = func(op string) error {
			switch op {
			case "setxattr":
				if set++; set == 1 { // root is never refused
					return syscall.EACCES
				}
			case "chmod":
				return c.chmod
			}
			return nil
		}
		copier := New(k, option.PreserveXattr, 0, 0)
		err := copier.copyXattr(&File{Src: src, Dst: dst, Stat: &s, MadeMode: 0o400}, name, option.PreserveXattr)
		if !errors.Is(err, c.want) {
			t.Errorf("copyXattr with %v of chmod = %v; want %v", c.chmod, err, c.want)
		}
	}
}
