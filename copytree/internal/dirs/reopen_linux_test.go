package dirs

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/option"
)

// idOf returns the ID of a directory.
func idOf(t *testing.T, k *at.Kernel, path string) at.ID {
	t.Helper()
	fd, err := k.OpenBase(path)
	if err != nil {
		t.Fatal(err)
	}
	defer k.Close(fd)
	var raw at.Raw
	var s at.Stat
	if err := k.Fstat(fd, &raw, &s); err != nil {
		t.Fatal(err)
	}
	return s.ID
}

// TestReopenFails makes each call that opens a directory again fail. Then it puts another directory
// in its place.
func TestReopenFails(t *testing.T) {
	k := at.New()
	src, dst := t.TempDir(), t.TempDir()
	if err := errors.Join(os.Mkdir(filepath.Join(src, "in"), 0o700), os.Mkdir(filepath.Join(dst, "in"), 0o700)); err != nil {
		t.Fatal(err)
	}
	base := &Dir{Pair: new(option.Pair), srcPath: src, dstPath: dst, CopyID: idOf(t, k, dst), retired: true, handle: closed()}
	base.Stat.ID = idOf(t, k, src)
	d := base.Child(at.NameOf("in"), at.NoFollow)
	d.Stat.ID, d.CopyID = idOf(t, k, filepath.Join(src, "in")), idOf(t, k, filepath.Join(dst, "in"))
	calls, failing := 0, 0
	k.Fault = func(string) error {
		if calls++; calls == failing {
			return syscall.EIO
		}
		return nil
	}
	use := func() error {
		h := New(k, 0) // nothing stays open
		err := h.Use(d)
		if err == nil {
			h.Release(d)
		}
		if d.SrcFD >= 0 || d.DstFD >= 0 || base.SrcFD >= 0 || base.DstFD >= 0 {
			t.Errorf("descriptors %d, %d, %d, %d are open", d.SrcFD, d.DstFD, base.SrcFD, base.DstFD)
		}
		return err
	}
	want := []fault.Fault{{Op: "open"}, {Op: "fstat"}, {Op: "open", Dest: true}, {Op: "fstat", Dest: true}}
	want = append(want, want...) // for the base, then for the directory in it
	for i, f := range want {
		calls, failing = 0, i+1
		if got := fault.Of(use()); got.Op != f.Op || got.Dest != f.Dest || got.Err != syscall.EIO {
			t.Errorf("call %d fails: %+v; want %s, Dest %t, EIO", i+1, got, f.Op, f.Dest)
		}
	}
	failing = 0
	if err := use(); err != nil {
		t.Errorf("Use = %v", err)
	}
	for _, c := range []struct {
		dir  string
		dest bool
	}{{dst, true}, {src, false}} {
		in := filepath.Join(c.dir, "in")
		if err := errors.Join(os.Rename(in, in+" that was"), os.Mkdir(in, 0o700)); err != nil {
			t.Fatal(err)
		}
		if got := fault.Of(use()); got.Op != "open" || got.Dest != c.dest || got.Err != fault.ErrChanged {
			t.Errorf("another directory: %+v; want open, Dest %t, %v", got, c.dest, fault.ErrChanged)
		}
	}
}
