package direct_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestAdviseDontNeed drops the page at the end of a file, which a write has brought into the page
// cache, and pages that another descriptor has read.
func TestAdviseDontNeed(t *testing.T) {
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		name := filepath.Join(dir, "file")
		f, err := direct.OpenOn(s, name, os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		// The kernel may keep up to 2 MiB of pages together, and drops all of them or none.
		const size, half = 4<<20 + 100, 2 << 20
		if _, err := f.WriteAt(make([]byte, size), 0); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		other, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if _, err := other.ReadAt(make([]byte, size), 0); err != nil {
			t.Fatal(err)
		}
		cached := func(off int64) bool {
			n, err := unix.Preadv2(int(other.Fd()), [][]byte{make([]byte, 1)}, off, unix.RWF_NOWAIT)
			return n == 1 && err == nil
		}
		var st unix.Statfs_t
		if err := unix.Fstatfs(int(other.Fd()), &st); err == nil && st.Type == unix.TMPFS_MAGIC {
			skip.For(t, skip.Case, "all of tmpfs is in the page cache")
		}
		if !cached(0) || !cached(size-1) {
			skip.For(t, skip.NoWait, "whether something is in the page cache is not to be learned here")
		}
		for _, a := range []sluice.Advice{sluice.AdviceNormal, sluice.AdviceSequential, sluice.AdviceWillNeed} {
			if err := f.Advise(0, 0, a); err != nil || !cached(0) || !cached(size-1) {
				t.Errorf("Advise(%d) = %v; cached at 0: %t, at the end: %t", a, err, cached(0), cached(size-1))
			}
		}
		// The kernel may ignore the advice for a while: pages that are being looked at stay.
		drop := func(off, n, at int64) {
			testenv.WaitFor(t, fmt.Sprintf("the page at %d to be dropped", at), func() bool {
				if err := f.Advise(off, n, sluice.AdviceDontNeed); err != nil {
					t.Fatalf("Advise(%d, %d, DontNeed) = %v", off, n, err)
				}
				return !cached(at)
			})
		}
		drop(half, size-half, size-1)
		if !cached(0) {
			t.Error("Advise of the second half, DontNeed: the first byte is not cached")
		}
		drop(0, 0, 0)
	})
}

// TestHintErrors checks that each error names the wrong argument.
func TestHintErrors(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	dir := t.TempDir()
	f := create(t, s, dir)
	closed, err := direct.OpenOn(s, filepath.Join(dir, "closed"), os.O_RDWR|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	for _, c := range []struct {
		do   func(f *direct.File) error
		text string
		op   string
	}{
		{func(f *direct.File) error { return f.Advise(0, 0, 5) }, "advice 5 is not between 0 and 4", "advise"},
		{func(f *direct.File) error { return f.Advise(-1, 0, 0) }, "negative offset", "advise"},
		{func(f *direct.File) error { return f.Advise(0, -1, 0) }, "negative length", "advise"},
	} {
		pe, ok := errors.AsType[*fs.PathError](c.do(f))
		if !ok || pe.Op != c.op || pe.Path != f.Name() || pe.Err.Error() != c.text {
			t.Errorf("%s: %v; want %s", c.op, pe, c.text)
		}
		if err := c.do(closed); !errors.Is(err, os.ErrClosed) {
			t.Errorf("%s of a closed file = %v", c.op, err)
		}
		if err := c.do(nil); err != os.ErrInvalid {
			t.Errorf("%s of nil = %v", c.op, err)
		}
	}
}
