package sched

import (
	"bytes"
	"context"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestReadEndsWithWhatWasCached reads a range whose first half is in the page cache. The context
// ends while the read waits for a permit. The read must return the bytes that it found in the page
// cache.
func TestReadEndsWithWhatWasCached(t *testing.T) {
	hang.Watch(t)
	b := make([]byte, 16<<10) // 16 KiB
	half := len(b) / 2
	s, f := halfCached(t, half)
	taken := 0
	for s.hold() {
		taken++
	}
	ctx, cancel := context.WithCancel(t.Context())
	var n int
	var err error
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		n, err = s.ReadAt(ctx, f, b, 0)
	}()
	hang.Eventually(func() bool { return s.waiting() == 1 })
	cancel()
	<-ended
	for range taken {
		s.letGo()
	}
	if n != half || err != context.Canceled {
		t.Errorf("ReadAt = %d, %v; want %d, %v", n, err, half, context.Canceled)
	}
	if want := bytes.Repeat([]byte{'x'}, half); !bytes.Equal(b[:half], want) {
		t.Error("the bytes that were found are not those of the file")
	}
}

// halfCached returns a file whose first n bytes, all x, are in the page cache, as far as s knows:
// the file is in memory, so Look answers for the system.
func halfCached(t *testing.T, n int) (*Scheduler, *File) {
	t.Helper()
	fd, err := unix.MemfdCreate("half", unix.MFD_CLOEXEC)
	if err != nil {
		skip.For(t, skip.Kernel, err)
	}
	t.Cleanup(func() { unix.Close(fd) })
	if res := sys.ReadCached(fd, make([]byte, 1), 0); res != -int32(syscall.EOPNOTSUPP) {
		skip.Forf(t, skip.Case, "a look at a file in memory has the result %d", res)
	}
	drv, err := pool.New(pool.Options{Depth: 8, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := newOn(drv, queueAll)
	t.Cleanup(func() { s.Close() })
	s.paths.Look = func(_ int, b []byte, off int64) (int32, bool) {
		if off >= int64(n) {
			return eagain, true
		}
		return int32(copy(b, bytes.Repeat([]byte{'x'}, n-int(off)))), true
	}
	return s, iopath.NewFile(fd, false, false)
}

// TestLargePreadLooksWhileItHits counts the looks into the page cache by large reads of a
// ForeignFile, with a small read that hits before each. Each of them looks while they hit. After
// one miss the next 15 do not look, and after another miss the next 31.
func TestLargePreadLooksWhileItHits(t *testing.T) {
	hang.Watch(t)
	s, f := halfCached(t, 0)
	if err := unix.Ftruncate(f.FD, largeRead); err != nil {
		t.Fatal(err)
	}
	found, looks := largeRead, 0
	s.paths.Look = func(_ int, b []byte, _ int64) (int32, bool) {
		if len(b) == largeRead {
			looks++
		}
		switch {
		case len(b) == largeRead && found == 0:
			return eagain, true
		case len(b) == largeRead:
			return int32(found), true
		case len(b) > 10: // the rest of a large read: not the end of the file
			return eagain, true
		}
		return int32(len(b)), true
	}
	small, large := make([]byte, 10), make([]byte, largeRead)
	for _, step := range []struct {
		found, reads, looks int
	}{
		{largeRead, 20, 20},
		{0, 1, 1},
		{0, 15, 0},
		{4096, 1, 1},
		{4096, 31, 0}, // a part is a miss
		{largeRead, 1, 1},
		{largeRead, 20, 20},
	} {
		found, looks = step.found, 0
		for range step.reads {
			for _, b := range [][]byte{small, large} {
				if n, err := s.Pread(f, b, 0); n != len(b) || err != nil {
					t.Fatalf("Pread of %d bytes = %d, %v", len(b), n, err)
				}
			}
		}
		if looks != step.looks {
			t.Errorf("%d large reads, of which %d bytes are cached, looked %d times; want %d", step.reads, step.found, looks, step.looks)
		}
	}
}
