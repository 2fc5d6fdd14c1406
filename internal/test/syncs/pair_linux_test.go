package syncs

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// descriptors counts this process's descriptors of name.
func descriptors(t *testing.T, name string) (n int) {
	t.Helper()
	for _, f := range testenv.HeldNow(t).Files {
		if strings.HasSuffix(f, name) {
			n++
		}
	}
	return n
}

// syncInPairs has two goroutines write much and Sync, neither waiting for the other, until the File
// has a second description. It skips the test if the File gets none.
func syncInPairs(t *testing.T, f *sluice.File) {
	t.Helper()
	var met atomic.Bool
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			b := make([]byte, 1<<20)
			for range 1000 {
				if _, err := f.WriteAt(b, int64(i)<<20); err != nil {
					t.Error(err)
				}
				if err := f.Sync(); err != nil {
					t.Error(err)
				}
				if met.Load() {
					return
				}
				met.Store(descriptors(t, f.Name()) == 2)
			}
		})
	}
	both.Wait()
	if !met.Load() {
		skip.For(t, skip.Chance, "no second description: the file system is none of those that allow it, or the two never met")
	}
}

func pairFile(t *testing.T, s *sluice.Scheduler) *sluice.File {
	t.Helper()
	f, err := s.Create(filepath.Join(t.TempDir(), "pair"))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestSecondDescriptionIsClosed checks that the second description is closed with the File.
func TestSecondDescriptionIsClosed(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f := pairFile(t, s)
		name := f.Name()
		syncInPairs(t, f)
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		if n := descriptors(t, name); n != 0 {
			t.Errorf("%d descriptors are left of a closed file", n)
		}
	})
}

// TestSecondDescriptionIsCollected checks that the garbage collector closes the second description.
func TestSecondDescriptionIsCollected(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := func() string {
			f := pairFile(t, s)
			syncInPairs(t, f)
			return f.Name()
		}()
		testenv.WaitOr(func() bool { runtime.GC(); return descriptors(t, name) == 0 },
			func() { t.Errorf("%d descriptors are left of a dropped file", descriptors(t, name)) })
	})
}

// TestSecondDescriptionOfARemovedFile checks that the second description is opened although the
// name is gone.
func TestSecondDescriptionOfARemovedFile(t *testing.T) {
	f := pairFile(t, testenv.Scheduler(t, sluice.Options{}))
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		t.Fatal(err)
	}
	b := make([]byte, 1<<20)
	var both sync.WaitGroup
	for i := range 2 {
		both.Go(func() {
			for range 20 {
				if _, err := f.WriteAt(b, int64(i)<<20); err != nil {
					t.Error(err)
				}
				if err := f.Sync(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	both.Wait()
}
