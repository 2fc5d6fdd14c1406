package paths

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// noAllocs requires that do, which makes one call, does not allocate.
func noAllocs(t *testing.T, what string, do func() error) {
	t.Helper()
	allocs.None(t, what, do)
}

// pages returns a file of n pages that is open during the test.
func pages(t *testing.T, s *sluice.Scheduler, dir string, n int) *sluice.File {
	t.Helper()
	f, err := s.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(make([]byte, n*testenv.PageSize)); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAllocs makes calls on the read and write paths, one at a time: cached and plain calls.
func TestAllocs(t *testing.T) {
	testenv.SkipUnderRace(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := pages(t, s, dir, 16)
		b := make([]byte, testenv.PageSize)
		rewind := func() { f.OSFile().Seek(0, 0) }
		noAllocs(t, "ReadAt", func() error { _, err := f.ReadAt(b, testenv.PageSize); return err })
		noAllocs(t, "WriteAt", func() error { _, err := f.WriteAt(b, testenv.PageSize); return err })
		noAllocs(t, "Read", func() error { rewind(); _, err := f.Read(b); return err })
		noAllocs(t, "Write", func() error { rewind(); _, err := f.Write(b); return err })
		noAllocs(t, "WriteString", func() error { rewind(); _, err := f.WriteString(testenv.Twenty); return err })
		noAllocs(t, "Seek", func() error { _, err := f.Seek(0, 0); return err })
		noAllocs(t, "Sync", func() error { return f.Sync() })
		noAllocs(t, "Datasync", func() error { return f.Datasync() })
	})
}

// TestAllocsBatch performs small Batches, one after the other in the first one's memory.
func TestAllocsBatch(t *testing.T) {
	testenv.SkipUnderRace(t)
	testenv.EachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := pages(t, s, dir, 4)
		b, on, page := batch.New(s), batch.On(f), testenv.AlignedBytes(testenv.PageSize)
		noAllocs(t, "Do of one read", func() error {
			b.Reset()
			b.Chain().ReadAt(on, page, testenv.PageSize)
			return b.Do(t.Context())
		})
		noAllocs(t, "Do of a chain", func() error {
			b.Reset()
			c := b.Chain()
			c.WriteAt(on, page, testenv.PageSize)
			c.ReadAt(on, page, 2*testenv.PageSize)
			c.Truncate(on, 4*testenv.PageSize)
			return b.Do(t.Context())
		})
		noAllocs(t, "Do of many chains", func() error {
			b.Reset()
			for i := range 20 {
				b.Chain().ReadAt(batch.On(f), page, int64(i%4)*testenv.PageSize)
			}
			return b.Do(t.Context())
		})
	})
}

// TestAllocsQueued makes calls that are queued, beside other ones.
func TestAllocsQueued(t *testing.T) {
	testenv.SkipUnderRace(t)
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			testAllocsQueued(t, testenv.SchedulerWith(t, sched.Options{}, sluice.Options{Driver: driver}))
		})
	}
}

// testAllocsQueued is TestAllocsQueued on s, which makes no plain calls by choice.
func testAllocsQueued(t *testing.T, s *sluice.Scheduler) {
	f := testenv.DirectOn(t, s, places.Disk(t), 64*testenv.PageSize)
	stop := testenv.KeepBusy(t, f, 6)
	defer stop()
	b := testenv.AlignedBytes(testenv.PageSize)
	before := s.Stats().Queued
	noAllocs(t, "ReadAt", func() error { _, err := f.ReadAt(b, testenv.PageSize); return err })
	noAllocs(t, "WriteAt", func() error { _, err := f.WriteAt(b, testenv.PageSize); return err })
	noAllocs(t, "Read", func() error {
		f.OSFile().Seek(0, 0)
		_, err := f.Read(b)
		return err
	})
	noAllocs(t, "Write", func() error {
		f.OSFile().Seek(0, 0)
		_, err := f.Write(b)
		return err
	})
	if n := s.Stats().Queued - before; n < 100 && testenv.DriverOf(t) != "pool" {
		t.Errorf("only %d operations were queued", n)
	}
}

// TestAllocsCold reads an uncached file through buffers.
func TestAllocsCold(t *testing.T) {
	testenv.SkipUnderRace(t)
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := testenv.DirectOn(t, s, places.Disk(t), 64*testenv.PageSize)
		cold, err := s.Open(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		defer cold.Close()
		stop := testenv.KeepBusy(t, f, 4)
		defer stop()
		b := make([]byte, testenv.PageSize)
		before := s.Stats().Cached
		noAllocs(t, "ReadAt", func() error {
			evict(t, cold.OSFile())
			_, err := cold.ReadAt(b, 7*testenv.PageSize)
			return err
		})
		if n := s.Stats().Cached - before; n > 100 {
			skip.Forf(t, skip.Chance, "the kernel keeps pages here: %d reads found theirs", n)
		}
	})
}

// evict drops f from the page cache, as far as the kernel allows.
func evict(t testing.TB, f *os.File) {
	if err := testenv.DropCache(int(f.Fd())); err != nil {
		skip.For(t, skip.Platform, err)
	}
}
