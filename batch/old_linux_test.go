package batch_test

import (
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestBatchOldKernel performs Batches on a kernel whose rings have no tables of files that opens
// can fill (Linux before 5.15). The helpers do everything, and the probing ring is closed.
func TestBatchOldKernel(t *testing.T) {
	s := testenv.SchedulerOn(bareDriver(t, "uring"))
	tried := 0
	inside.Scheduler(s).Core.SetChainDriver(func() driver.Linker {
		tried++
		ring, err := uring.New(uring.Options{Depth: 8}) // as on that kernel
		if err != nil {
			t.Fatal(err)
		}
		return ring
	})
	defer s.Close()
	before := testenv.HeldNow(t)
	batchDiff(t, s, seed.Of(t), soundDisk{})
	names := smallFiles(t, t.TempDir(), 300, 100)
	b, queued := batch.New(s), s.Stats().Queued
	addReads(b, names, 100)
	err := b.Do(t.Context())
	if queued = s.Stats().Queued - queued; err != nil || tried != 1 || queued != 0 {
		t.Errorf("Do = %v, a ring for chains was tried %d times, %d operations were queued; want nil, 1, 0", err, tried, queued)
	}
	testenv.WaitOr(func() bool { return len(before.More(testenv.HeldNow(t))) == 0 }, func() { t.Errorf("left behind: %v", before.More(testenv.HeldNow(t))) })
}
