package batch_test

import (
	"context"
	"errors"
	"os"
	"runtime/debug"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestBatchLeavesNothing performs Batches, whole and canceled, and closes the Scheduler. No
// goroutine, descriptor or mapping may be left.
func TestBatchLeavesNothing(t *testing.T) {
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			testenv.Scheduler(t, sluice.Options{Driver: driver}).Close()
			names := smallFiles(t, t.TempDir(), 300, 100)
			before := testenv.HeldNow(t)
			for range 3 {
				s := testenv.Scheduler(t, sluice.Options{Driver: driver})
				b := batch.New(s)
				addReads(b, names, 100)
				if err := b.Do(t.Context()); err != nil {
					t.Errorf("Do = %v", err)
				}
				b.Reset()
				addReads(b, names, 100)
				for range b.Each(t.Context()) {
					break
				}
				if err := s.Close(); err != nil {
					t.Errorf("Close = %v", err)
				}
			}
			var more []string
			testenv.WaitOr(func() bool { more = before.More(testenv.HeldNow(t)); return len(more) == 0 },
				func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
		})
	}
}

// TestReadFileOfDeviceLeavesNothing reads a file that is not regular. Without a garbage collection,
// its descriptor must be closed.
func TestReadFileOfDeviceLeavesNothing(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		read := func() {
			b := batch.New(s)
			b.Chain().ReadFile(os.DevNull)
			if err := b.Do(t.Context()); err != nil || b.Op(0).N() != 0 {
				t.Fatalf("Do = %v, with %d bytes of %s", err, b.Op(0).N(), os.DevNull)
			}
		}
		read()
		before := testenv.HeldNow(t)
		for range 10 {
			read()
		}
		var more []string
		testenv.WaitOr(func() bool { more = before.More(testenv.HeldNow(t)); return len(more) == 0 },
			func() { t.Errorf("left behind: %s", strings.Join(more, ", ")) })
	})
}

// TestBatchSchedulerCloses closes the Scheduler while a Batch is performed. Close waits for it, and
// every operation has a state.
func TestBatchSchedulerCloses(t *testing.T) {
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: driver})
			b := batch.New(s)
			bufs := addReads(b, smallFiles(t, t.TempDir(), 300, 100), 100)
			var closing sync.WaitGroup
			closed := false
			for op := range b.Each(t.Context()) {
				if op == nil {
					t.Fatal("the Batch was refused")
				}
				if !closed {
					closed = true
					closing.Go(func() { s.Close() })
				}
			}
			closing.Wait()
			for i := range bufs {
				checkCanceled(t, b, i, bufs[i])
			}
		})
	}
}

// TestBatchFaults makes each read and write of a Batch on an open File fail in turn. Only that
// operation has the error, and nothing stays open.
func TestBatchFaults(t *testing.T) {
	const n = 40
	for at := range n {
		count := fault.NewCounter(at, fault.Verdict{Errno: syscall.EIO})
		s := testenv.SchedulerOn(fault.New(testenv.AsyncPool{Pool: testenv.PoolOf(t, 32)}, count.Decide))
		f := testenv.DirectOn(t, s, t.TempDir(), n*testenv.PageSize)
		before := tempDescriptors(t)
		b, on := batch.New(s), batch.On(f)
		for i := range n {
			c := b.Chain()
			c.ReadAt(on, testenv.AlignedBytes(testenv.PageSize), int64(i)*testenv.PageSize)
			c.WriteAt(on, testenv.AlignedBytes(testenv.PageSize), int64(i)*testenv.PageSize)
		}
		err := b.Do(context.Background())
		if failed := batchStates(b)[batch.Failed]; !errors.Is(err, syscall.EIO) || failed != 1 || !count.Fired() {
			t.Errorf("fault %d: Do = %v with %d operations that failed; want EIO of one", at, err, failed)
		}
		if after := tempDescriptors(t); after > before {
			t.Errorf("%d descriptors are open; there were %d", after, before)
		}
		s.Close()
	}
}

func batchStates(b *batch.Batch) map[batch.State]int {
	n := map[batch.State]int{}
	for i := range b.Len() {
		n[b.Op(i).State()]++
	}
	return n
}

// TestBatchAllocates bounds the allocations of a Batch that is used again.
func TestBatchAllocates(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector allocates")
	}
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		names := smallFiles(t, t.TempDir(), 1000, 100)
		b, bufs := batch.New(s), make([]byte, 100)
		per := testing.AllocsPerRun(5, func() {
			b.Reset()
			for _, name := range names {
				c := b.Chain()
				open := c.Open(name)
				c.ReadAt(open, bufs[:50], 0)
				c.ReadAt(open, bufs[50:], 50)
				c.Close(open)
			}
			if err := b.Do(context.Background()); err != nil {
				t.Error(err)
			}
		}) / float64(b.Len())
		if per > 0.3 {
			t.Errorf("%.2f allocations an operation; want at most 0.3", per)
		}
	})
}
