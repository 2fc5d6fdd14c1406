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
	k := at.New()
	src, dst, s := withXattr(t, k)
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
		err := copier.copyXattr(&File{Src: src, Dst: dst, Stat: &s, MadeMode: 0o400}, attribute, option.PreserveXattr)
		if !errors.Is(err, c.want) {
			t.Errorf("copyXattr with %v of chmod = %v; want %v", c.chmod, err, c.want)
		}
	}
}

// TestTimesComeLast checks that a copy that is killed before it has its extended attributes does
// not have the time of its source: Resume would take it for complete.
func TestTimesComeLast(t *testing.T) {
	k := at.New()
	src, dst, s := withXattr(t, k)
	mtime := func() at.Time {
		var now at.Stat
		var raw at.Raw
		if err := k.Fstat(dst.FD, &raw, &now); err != nil {
			t.Fatal(err)
		}
		return now.Mtime
	}
	s.Mtime = at.Time{Sec: 1e9, Nsec: 5}
	sets, times := 0, 0
	k.Fault = func(op string) error {
		switch op {
		case "setxattr":
			sets++
			if mtime() == s.Mtime {
				t.Error("the copy has its source's time before its attribute")
			}
		case "utimensat":
			times++
		}
		return nil
	}
	copier := New(k, option.PreserveXattr|option.PreserveTimes|option.PreserveMode, 0, 0)
	if err := copier.Set(&File{Src: src, Dst: dst, Stat: &s}); err != nil || sets != 1 || mtime() != s.Mtime {
		t.Errorf("Set = %v, with %d attributes and the time %v; want nil, 1 and %v", err, sets, mtime(), s.Mtime)
	}
	if times != 1 {
		t.Errorf("the times were set %d times; want once", times)
	}
}

const attribute = "user.attribute"

// withXattr returns a file that has attribute, an empty copy, and the Stat of the file.
func withXattr(t *testing.T, k *at.Kernel) (src, dst at.File, s at.Stat) {
	dir := t.TempDir()
	open := func(name string) at.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return at.File{FD: int(f.Fd())}
	}
	src, dst = open("src"), open("dst")
	if err := unix.Fsetxattr(src.FD, attribute, []byte("value"), 0); err != nil {
		skip.For(t, skip.Xattr, "no extended attributes: ", err)
	}
	var raw at.Raw
	if err := k.Fstat(src.FD, &raw, &s); err != nil {
		t.Fatal(err)
	}
	return src, dst, s
}
