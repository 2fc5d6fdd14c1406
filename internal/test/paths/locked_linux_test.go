package paths

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// evicted makes an uncached file in dir.
func evicted(t *testing.T, dir, name string, size int) *os.File {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, name), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(testenv.Noise(size)); err != nil {
		t.Fatal(err)
	}
	if err := f.Sync(); err != nil {
		t.Fatal(err)
	}
	for _, advice := range []int{unix.FADV_RANDOM, unix.FADV_DONTNEED} {
		if err := unix.Fadvise(int(f.Fd()), 0, 0, advice); err != nil {
			t.Fatal(err)
		}
	}
	return f
}

// TestReadOfAFileThatIsWritten checks reads on xfs, where a write locks its file for reads. A read
// that waits for the lock must not hold up reads of other files. The test's write takes long,
// because its bytes are on a slow disk.
func TestReadOfAFileThatIsWritten(t *testing.T) {
	const size = 1 << 20
	dir, slowDir := places.FileSystems["xfs"](t, 0), places.Slow(t, 20, 1<<20)
	hang.Watch(t)
	written, other, from := evicted(t, dir, "written", size), evicted(t, dir, "other", size), evicted(t, slowDir, "from", size)
	slow, err := unix.Mmap(int(from.Fd()), 0, size, unix.PROT_READ, unix.MAP_SHARED)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Munmap(slow)
	if err := unix.Madvise(slow, unix.MADV_RANDOM); err != nil {
		t.Fatal(err)
	}
	s := testenv.Scheduler(t, sluice.Options{})
	open := func(f *os.File) *sluice.File {
		g, err := s.Open(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { g.Close() })
		return g
	}
	a, b := open(written), open(other)
	var ended atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		defer ended.Store(true)
		// Three seconds.
		if _, err := unix.Pwrite(int(written.Fd()), slow[:60*testenv.PageSize], 0); err != nil {
			t.Error(err)
		}
	})
	hang.Eventually(func() bool { return ended.Load() || wouldWait(written) })
	ctx, cancel := context.WithCancel(t.Context()) // the read is then no plain call
	defer cancel()
	var asked atomic.Bool
	all.Go(func() {
		asked.Store(true)
		if _, err := a.ReadAtContext(ctx, make([]byte, testenv.PageSize), size-testenv.PageSize); err != nil {
			t.Error(err)
		}
	})
	hang.Eventually(asked.Load)
	if ended.Load() {
		skip.For(t, skip.Chance, "the write took no time: the disk of its bytes is not slow")
	}
	for i := range int64(200) {
		_ = unix.Fadvise(int(other.Fd()), 0, 0, unix.FADV_DONTNEED)
		if _, err := b.ReadAtContext(ctx, make([]byte, testenv.PageSize), i*testenv.PageSize); err != nil {
			t.Fatal(err)
		}
	}
	if ended.Load() {
		t.Error("200 reads of a file ended after a write of another file, which took three seconds")
	}
	all.Wait()
}

// wouldWait reports whether a read of f would wait for a write.
func wouldWait(f *os.File) bool {
	_, err := unix.Preadv2(int(f.Fd()), [][]byte{make([]byte, 1)}, 1<<60, unix.RWF_NOWAIT)
	return err == unix.EAGAIN
}
