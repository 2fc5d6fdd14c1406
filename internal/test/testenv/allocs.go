package testenv

import (
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// SkipUnderRace skips a test that counts allocations, because the race detector allocates.
func SkipUnderRace(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector allocates")
	}
}

// KeepBusy has goroutines read f until stop is called.
func KeepBusy(t *testing.T, f *sluice.File, goroutines int) (stop func()) {
	var ended atomic.Bool
	var all sync.WaitGroup
	for range goroutines {
		all.Go(func() {
			for b := AlignedBytes(4 * PageSize); !ended.Load(); {
				if _, err := f.ReadAt(b, 8*PageSize); err != nil {
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
