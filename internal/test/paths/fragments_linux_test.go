package paths

import (
	"bytes"
	"context"
	"math"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestReadOfFragments reads a file of many extents in one call while the driver is busy. The read
// must return everything, although a cached read stops at the end of an extent.
func TestReadOfFragments(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.DirectOn(t, s, t.TempDir(), 256*testenv.PageSize)
		want := make([]byte, 256*testenv.PageSize)
		for i := range 256 {
			if i%2 == 0 {
				copy(want[i*testenv.PageSize:][:testenv.PageSize], bytes.Repeat([]byte{byte(i)}, testenv.PageSize))
				continue
			}
			const punch = unix.FALLOC_FL_PUNCH_HOLE | unix.FALLOC_FL_KEEP_SIZE
			if err := unix.Fallocate(int(f.Fd()), punch, int64(i)*testenv.PageSize, testenv.PageSize); err != nil {
				skip.For(t, skip.Special, "no holes here: ", err)
			}
		}
		stop := testenv.KeepBusy(t, f, 6)
		defer stop()
		b := testenv.AlignedBytes(len(want))
		for range 20 {
			f.Seek(0, 0)
			if n, err := f.Read(b); n != len(b) || err != nil || !bytes.Equal(b, want) {
				t.Fatalf("Read = %d, %v; want %d, nil", n, err, len(b))
			}
			clear(b)
			if n, err := f.ReadAt(b, 0); n != len(b) || err != nil || !bytes.Equal(b, want) {
				t.Fatalf("ReadAt = %d, %v; want %d, nil", n, err, len(b))
			}
		}
	})
}

// TestBadOffsetChangesNothing reads at an impossible offset. The next read must be cached as
// before.
func TestBadOffsetChangesNothing(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.TextOn(t, s, t.TempDir())
		ctx, cancel := context.WithCancel(t.Context()) // otherwise a plain call is faster
		defer cancel()
		read := func() {
			if _, err := f.ReadAtContext(ctx, make([]byte, 10), 0); err != nil {
				t.Fatal(err)
			}
		}
		read()
		if s.Stats().Cached == 0 {
			skip.For(t, skip.NoWait, "the file system cannot tell what is cached")
		}
		if n, err := f.ReadAtContext(ctx, make([]byte, 10), math.MaxInt64-5); n != 0 || err == nil {
			t.Errorf("ReadAt at the end of all offsets = %d, %v; want 0 and an error", n, err)
		}
		before := s.Stats().Cached
		// The system may drop the page, but not each time.
		testenv.WaitFor(t, "a read from the page cache after a bad offset", func() bool {
			read()
			return s.Stats().Cached > before
		})
	})
}
