package pebblevfs_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unsafe"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/vfs"
	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/integrations/pebblevfs"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

func isBuffered(t *testing.T) bool { return strings.HasSuffix(t.Name(), "/buffered") }

// cached returns how many pages of the tables and blob files in dir are in the page cache, without
// each file's last page, and how many pages the files have.
func cached(t *testing.T, dir string) (resident, pages int) {
	t.Helper()
	for _, pattern := range []string{"*.sst", "*.blob"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil || len(names) == 0 {
			t.Fatalf("no %s: %v", pattern, err)
		}
		for _, name := range names {
			r, p := cachedOf(t, name)
			resident += max(0, r-1)
			pages += p
		}
	}
	return resident, pages
}

func cachedOf(t *testing.T, name string) (resident, pages int) {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() == 0 { // Pebble is writing it
		return 0, 0
	}
	size := os.Getpagesize()
	pages = (int(info.Size()) + size - 1) / size
	mem, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(mem)
	in := make([]byte, pages)
	if _, _, e := unix.Syscall(unix.SYS_MINCORE, uintptr(unsafe.Pointer(&mem[0])), uintptr(len(mem)), uintptr(unsafe.Pointer(&in[0]))); e != 0 {
		t.Fatal(e)
	}
	for _, b := range in {
		resident += int(b & 1)
	}
	return resident, pages
}

// TestPageCache checks what each mode keeps in the page cache.
func TestPageCache(t *testing.T) {
	eachMode(t, sluice.Options{}, func(t *testing.T, fs *pebblevfs.FS, _ *sluice.Scheduler, background *sluice.Class) {
		dir := places.FileSystems["ext4"](t, 64<<20)
		w := &writer{r: seed.Rand(t)}
		o := dbOptions(fs)
		o.DisableAutomaticCompactions = true // none may run after the next one
		w.db = openDB(t, dir, o)
		w.fill(t)
		for range 100 {
			if err := w.batch(20, pebble.NoSync); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.db.Flush(); err != nil {
			t.Fatal(err)
		}
		if err := w.db.Compact(t.Context(), key(0), key(keys), true); err != nil {
			t.Fatal(err)
		}
		// The compaction has read blob files as a user does. They have been replaced.
		w.db.TestOnlyWaitForCleaning()
		n, pages := cached(t, dir)
		// Pebble reads the ends of new tables for statistics, as a user does.
		if isBuffered(t) != (n > pages/10) {
			t.Errorf("%d of %d pages are in the page cache after a compaction; want hardly any unless buffered", n, pages)
		}
		before := background.Stats()
		w.check(t, w.db)
		n, pages = cached(t, dir)
		if strings.HasSuffix(t.Name(), "/direct") != (n == 0) {
			t.Errorf("%d of %d pages are in the page cache after reads; want none with direct alone", n, pages)
		}
		t.Logf("%d of %d pages in the cache; class of the background: %+v, before the reads %+v", n, pages, background.Stats(), before)
		if err := w.db.Close(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestPrefetchGoesOn checks that a Prefetch right after the previous one's end also reads the next
// bytes.
func TestPrefetchGoesOn(t *testing.T) {
	const n = 128 << 10
	name := filepath.Join(places.Disk(t), "file")
	if err := os.WriteFile(name, make([]byte, 32*n), 0o600); err != nil {
		t.Fatal(err)
	}
	fs, err := pebblevfs.New(pebblevfs.Options{})
	if err != nil {
		t.Fatal(err)
	}
	f, err := fs.Open(name, vfs.RandomReadsOption)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	if err := unix.Fadvise(int(f.Fd()), 0, 0, unix.FADV_DONTNEED); err != nil {
		t.Fatal(err)
	}
	if resident, _ := cachedOf(t, name); resident > 0 {
		skip.For(t, skip.Chance, "the page cache keeps the file")
	}
	page := os.Getpagesize()
	for _, step := range []struct{ off, want int64 }{
		{0, n},          // the first
		{n, 3 * n},      // goes on: these bytes and the next
		{2 * n, 4 * n},  // goes on
		{16 * n, 5 * n}, // elsewhere
		{17 * n, 7 * n}, // goes on there
	} {
		if err := f.Prefetch(step.off, n); err != nil {
			t.Fatal(err)
		}
		testenv.WaitFor(t, fmt.Sprintf("%d bytes to be in the page cache after Prefetch(%d, %d)", step.want, step.off, n), func() bool {
			resident, _ := cachedOf(t, name)
			return int64(resident*page) >= step.want
		})
	}
}
