package sluice_test

import (
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/allocs"
	"github.com/sluiceio/sluice/internal/places"
	"github.com/sluiceio/sluice/internal/sys"
)

// noAllocs demands that do, which makes one call, does not allocate.
func noAllocs(t *testing.T, what string, do func() error) {
	t.Helper()
	allocs.None(t, what, do)
}

func skipUnderRace(t *testing.T) {
	if sys.RaceEnabled {
		t.Skip("the race detector allocates")
	}
}

// pages returns a file of n pages, which is open for the time of the test.
func pages(t *testing.T, s *sluice.Scheduler, dir string, n int) *sluice.File {
	t.Helper()
	f, err := s.Create(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := f.Write(make([]byte, n*pageSize)); err != nil {
		t.Fatal(err)
	}
	return f
}

// TestAllocs calls what is on the read and write paths, one at a time: from
// the page cache and by plain system calls.
func TestAllocs(t *testing.T) {
	skipUnderRace(t)
	eachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := pages(t, s, dir, 16)
		b := make([]byte, pageSize)
		rewind := func() { f.OSFile().Seek(0, 0) }
		noAllocs(t, "ReadAt", func() error { _, err := f.ReadAt(b, pageSize); return err })
		noAllocs(t, "WriteAt", func() error { _, err := f.WriteAt(b, pageSize); return err })
		noAllocs(t, "Read", func() error { rewind(); _, err := f.Read(b); return err })
		noAllocs(t, "Write", func() error { rewind(); _, err := f.Write(b); return err })
		noAllocs(t, "WriteString", func() error { rewind(); _, err := f.WriteString(twenty); return err })
		noAllocs(t, "Seek", func() error { _, err := f.Seek(0, 0); return err })
		noAllocs(t, "Sync", func() error { return f.Sync() })
		noAllocs(t, "Datasync", func() error { return f.Datasync() })
	})
}

// TestAllocsBatch performs small Batches, one after the other in the memory of the
// first.
func TestAllocsBatch(t *testing.T) {
	skipUnderRace(t)
	eachPlace(t, func(t *testing.T, s *sluice.Scheduler, dir string) {
		f := pages(t, s, dir, 4)
		b, page := s.NewBatch(), alignedBytes(pageSize)
		noAllocs(t, "Do of one read", func() error {
			b.Reset()
			b.ReadAt(f, page, pageSize)
			return b.Do(t.Context())
		})
		noAllocs(t, "Do of a chain", func() error {
			b.Reset()
			b.WriteAt(f, page, pageSize).Link()
			b.ReadAt(f, page, 2*pageSize).Link()
			b.Truncate(f, 4*pageSize)
			return b.Do(t.Context())
		})
	})
}

// TestAllocsQueued calls them while others keep the driver busy, so that they
// are queued.
func TestAllocsQueued(t *testing.T) {
	skipUnderRace(t)
	eachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := directOn(t, s, places.Disk(t), 64*pageSize)
		stop := keepBusy(t, f, 6)
		defer stop()
		b := alignedBytes(pageSize)
		before := s.Stats().Queued
		noAllocs(t, "ReadAt", func() error { _, err := f.ReadAt(b, pageSize); return err })
		noAllocs(t, "WriteAt", func() error { _, err := f.WriteAt(b, pageSize); return err })
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
		if n := s.Stats().Queued - before; n < 100 && driverOf(t) != "pool" {
			t.Errorf("only %d operations were queued", n)
		}
	})
}

// TestAllocsCold reads a file whose pages are not cached, through buffers.
func TestAllocsCold(t *testing.T) {
	skipUnderRace(t)
	eachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := directOn(t, s, places.Disk(t), 64*pageSize)
		cold, err := s.Open(f.Name())
		if err != nil {
			t.Fatal(err)
		}
		defer cold.Close()
		stop := keepBusy(t, f, 4)
		defer stop()
		b := make([]byte, pageSize)
		before := s.Stats().Cached
		noAllocs(t, "ReadAt", func() error {
			evict(t, cold.OSFile())
			_, err := cold.ReadAt(b, 7*pageSize)
			return err
		})
		if n := s.Stats().Cached - before; n > 100 {
			t.Skipf("the kernel keeps pages here: %d reads found theirs", n)
		}
	})
}

// keepBusy has goroutines read f until stop is called.
func keepBusy(t *testing.T, f *sluice.File, goroutines int) (stop func()) {
	var ended atomic.Bool
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for b := alignedBytes(4 * pageSize); !ended.Load(); {
				if _, err := f.ReadAt(b, 8*pageSize); err != nil {
					t.Errorf("ReadAt = %v", err)
					return
				}
			}
		})
	}
	return func() {
		ended.Store(true)
		all.Wait()
	}
}

// evict drops f from the page cache, as far as the kernel does.
func evict(t testing.TB, f *os.File) {
	if err := dropCache(int(f.Fd())); err != nil {
		t.Skip(err)
	}
}
