package files

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// rangeFile returns a File with n bytes 'x' on disk.
func rangeFile(t *testing.T, s *sluice.Scheduler, dir string, n int) *sluice.File {
	t.Helper()
	f, err := s.Create(filepath.Join(dir, "range"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.WriteAt(bytes.Repeat([]byte("x"), n), 0); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	return f
}

// cachedBytes returns how many of the first n bytes of f are in the page cache.
func cachedBytes(t *testing.T, f *sluice.File, n int) (cached int) {
	t.Helper()
	mem, err := unix.Mmap(int(f.Fd()), 0, n, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	page := os.Getpagesize()
	in := make([]byte, n/page)
	if _, _, e := syscall.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), uintptr(n), uintptr(unsafe.Pointer(&in[0]))); e != 0 {
		t.Fatal(e)
	}
	for _, p := range in {
		cached += int(p&1) * page
	}
	return cached
}

// dropped reports whether the page cache drops the pages of f. It does not if they are the file, as
// on tmpfs.
func dropped(t *testing.T, f *sluice.File, n int) bool {
	t.Helper()
	if err := f.Advise(0, 0, sluice.AdviceDontNeed); err != nil {
		t.Fatal(err)
	}
	return cachedBytes(t, f, n) == 0
}

// TestPrefetch checks that all bytes get into the page cache, and no others, whether the caller
// reads them or a goroutine does.
func TestPrefetch(t *testing.T) {
	const size = 8 << 20
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := rangeFile(t, s, dir, size)
		for _, r := range []struct{ off, n, least int64 }{
			{0, 64 << 10, 64 << 10},
			{1 << 20, 1 << 20, 1 << 20},
			{0, 0, size},
			{4 << 20, math.MaxInt64, 4 << 20},
		} {
			if !dropped(t, f, size) {
				skip.For(t, skip.Chance, "the page cache keeps the file")
			}
			looks := 0
			testenv.WaitOr(func() bool {
				if looks%1000 == 0 { // again: the kernel may have dropped pages
					if err := f.Prefetch(r.off, r.n); err != nil {
						t.Fatalf("Prefetch(%d, %d) = %v", r.off, r.n, err)
					}
				}
				looks++
				return int64(cachedBytes(t, f, size)) >= r.least
			},
				func() {
					t.Errorf("Prefetch(%d, %d): %d bytes are cached; want %d", r.off, r.n, cachedBytes(t, f, size), r.least)
				})
		}
	})
}

// TestPrefetchAndClose checks that Close of the File or the Scheduler ends a Prefetch that has not
// begun.
func TestPrefetchAndClose(t *testing.T) {
	for _, all := range []bool{false, true} {
		s := testenv.Scheduler(t, sluice.Options{})
		for range 100 {
			f := rangeFile(t, s, t.TempDir(), 4<<20)
			dropped(t, f, 4<<20)
			if err := f.Prefetch(0, 0); err != nil {
				t.Fatal(err)
			}
			if all {
				break
			}
			if err := f.Close(); err != nil {
				t.Fatal(err)
			}
			if err := f.Prefetch(0, 0); !errors.Is(err, os.ErrClosed) {
				t.Fatalf("Prefetch of a closed File = %v; want os.ErrClosed", err)
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestFileRanges checks that calls on ranges have the effects of the system's calls. Size and
// contents must stay.
func TestFileRanges(t *testing.T) {
	const size = 1 << 20
	testenv.EachFileSystem(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := rangeFile(t, s, dir, size)
		blocks := func() int64 {
			info, err := f.Stat()
			if err != nil || info.Size() != size {
				t.Fatalf("Stat = %v, %v; want %d bytes", info, err, size)
			}
			return info.Sys().(*syscall.Stat_t).Blocks * 512
		}
		before := blocks()
		unsupported := func(err error) bool {
			if errors.Is(err, errors.ErrUnsupported) {
				t.Logf("here: %v", err)
				return true
			}
			if err != nil {
				t.Error(err)
			}
			return false
		}
		if !unsupported(f.Allocate(size, size)) && blocks() < before+size {
			t.Errorf("%d bytes are allocated after Allocate; want %d more than %d", blocks(), size, before)
		}
		if !unsupported(f.PunchHole(0, size/2)) {
			b := make([]byte, size)
			if _, err := f.ReadAt(b, 0); err != nil {
				t.Fatal(err)
			}
			if want := append(make([]byte, size/2), bytes.Repeat([]byte("x"), size/2)...); !bytes.Equal(b, want) {
				t.Error("after PunchHole the bytes are not zeros in the hole and x behind it")
			}
		}
		if _, err := f.WriteAt(make([]byte, size), 0); err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(f.SyncRange(0, size), f.SyncRange(0, 0), f.Sync()); err != nil {
			t.Error(err)
		}
	})
}

// TestFileRangeErrors checks that each error names the call, the file and the reason.
func TestFileRangeErrors(t *testing.T) {
	f := rangeFile(t, testenv.Scheduler(t, sluice.Options{}), t.TempDir(), 1)
	dir, err := sluice.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	calls := map[string]func(f *sluice.File, off, n int64) error{
		"allocate":  (*sluice.File).Allocate,
		"punchhole": (*sluice.File).PunchHole,
		"syncrange": (*sluice.File).SyncRange,
		"prefetch":  (*sluice.File).Prefetch,
		"advise":    func(f *sluice.File, off, n int64) error { return f.Advise(off, n, sluice.AdviceNormal) },
	}
	check := func(op string, err error, text string, is error) {
		t.Helper()
		pe, ok := errors.AsType[*fs.PathError](err)
		if !ok || pe.Op != op || text != "" && pe.Err.Error() != text || is != nil && !errors.Is(err, is) {
			t.Errorf("%s = %v; want %q, %v", op, err, text, is)
		}
	}
	for op, call := range calls {
		check(op, call(f, -1, 1), "negative offset", nil)
		check(op, call(f, 0, -1), "negative length", nil)
		check(op, call(dir, 0, 1), "", errors.ErrUnsupported)
		if err := call(nil, 0, 1); !errors.Is(err, os.ErrInvalid) {
			t.Errorf("%s of nil = %v; want os.ErrInvalid", op, err)
		}
	}
	check("advise", f.Advise(0, 0, sluice.AdviceDontNeed+1), "advice 5 is not between 0 and 4", nil)
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for op, call := range calls {
		check(op, call(f, 0, 0), "", os.ErrClosed)
	}
}

// TestPrefetchKeepsThePosition has a block device, whose size is not in stat(2).
func TestPrefetchKeepsThePosition(t *testing.T) {
	name := places.Loop(t, 4<<20)
	f, err := testenv.Scheduler(t, sluice.Options{}).Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.Seek(4096, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	if err := f.Prefetch(0, 0); err != nil {
		t.Fatal(err)
	}
	if pos, err := f.Seek(0, io.SeekCurrent); pos != 4096 || err != nil {
		t.Errorf("the position is %d, %v; want 4096", pos, err)
	}
}

// TestPrefetchWithoutPermit checks that Prefetch does not wait for a permit: it is a hint for a
// read that may need none. Its bytes are read later. Beyond a number of such calls, a Prefetch does
// nothing.
func TestPrefetchWithoutPermit(t *testing.T) {
	hang.Watch(t)
	const size, most = 1 << 20, 64
	s := testenv.Scheduler(t, sluice.Options{Driver: "pool", Threads: 1})
	f := rangeFile(t, s, t.TempDir(), size)
	cleared := dropped(t, f, size)
	release := testenv.Occupy(s)
	// Close does not wait for a Prefetch without a permit.
	closed := testenv.TextOn(t, s, t.TempDir())
	if err := errors.Join(closed.Prefetch(0, 0), closed.Close()); err != nil {
		t.Fatal(err)
	}
	for range most { // one of them is too many
		if err := f.Prefetch(0, 0); err != nil {
			t.Fatal(err)
		}
	}
	hang.Eventually(func() bool { return testenv.Waiting(s) == most })
	release()
	if cleared {
		hang.Eventually(func() bool { return cachedBytes(t, f, size) == size })
	}
}
