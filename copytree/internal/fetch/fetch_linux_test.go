package fetch

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// files makes n uncached files of one block, and opens them.
func files(t *testing.T, n int) (fds []int) {
	t.Helper()
	dir := t.TempDir()
	for i := range n {
		f, err := os.Create(filepath.Join(dir, strconv.Itoa(i)))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		if _, err := f.Write(make([]byte, 4096)); err != nil {
			t.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			t.Fatal(err)
		}
		fd := int(f.Fd())
		if err := unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
		fds = append(fds, fd)
	}
	return fds
}

// cached reports whether the page cache has the file.
func cached(t *testing.T, fd int) bool {
	t.Helper()
	mem, err := unix.Mmap(fd, 0, 4096, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	var page [1]byte
	if _, _, e := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), 4096, uintptr(unsafe.Pointer(&page[0]))); e != 0 {
		t.Fatal(e)
	}
	return page[0]&1 != 0
}

// TestFetch fetches files in batches of several sizes.
func TestFetch(t *testing.T) {
	// Less than Depth, so that the driver is sometimes full.
	drv, err := uring.New(uring.Options{Depth: 32})
	if err != nil {
		skip.ForDriver(t, "uring", err)
	}
	f := New(drv)
	all := files(t, Depth+100)
	for rest := all; len(rest) > 0; {
		n := min(len(rest), 1+len(rest)/2)
		if err := f.Fetch(rest[:n]); err != nil {
			t.Fatal(err)
		}
		if f.inFlight > n/2 {
			t.Errorf("%d of %d are on their way after Fetch", f.inFlight, n)
		}
		rest = rest[n:]
	}
	if err := f.Fetch(nil); err != nil || f.inFlight != 0 {
		t.Errorf("Fetch of nothing = %v, with %d on their way", err, f.inFlight)
	}
	for _, fd := range all {
		if !cached(t, fd) {
			t.Errorf("file %d was not fetched", fd)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
}

// TestFetchNothing checks that unreadable files are ignored, and that the Fetcher does not lose
// their operations.
func TestFetchNothing(t *testing.T) {
	drv, err := pool.New(pool.Options{Depth: 8, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	f := New(drv)
	bad := slices.Repeat([]int{-1}, Depth+1)
	for range 5 {
		if err := f.Fetch(bad); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if f.inFlight+len(f.free) != Depth {
		t.Errorf("%d on their way and %d free of %d", f.inFlight, len(f.free), Depth)
	}
	if err := f.Fetch([]int{0}); !errors.Is(err, driver.ErrClosed) {
		t.Errorf("Fetch on a closed driver = %v; want %v", err, driver.ErrClosed)
	}
}
