package sched

import (
	"bytes"
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// asyncStager is async of a driver that can stage.
type asyncStager struct{ driver.Stager }

func (asyncStager) Async(*driver.Op) bool { return true }

// losing makes a Scheduler whose driver is lost with its call number at, and a
// file for it.
func losing(t *testing.T, inner driver.Driver, at int) (*Scheduler, *File, *fault.Loss) {
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	drv, loss := fault.NewLoss(inner, at, syscall.EPERM)
	if st, ok := drv.(driver.Stager); ok {
		drv = asyncStager{st}
	} else {
		drv = async{drv}
	}
	s := newOn(drv, Options{})
	return s, iopath.NewFile(int(f.Fd()), true, false), loss
}

// TestLossAtEveryCall: the driver is lost with its first call, its second, and so
// on. Whatever was in flight, every operation has its result, and it is counted.
func TestLossAtEveryCall(t *testing.T) {
	for name, open := range map[string]func() (driver.Driver, error){
		"pool":  func() (driver.Driver, error) { return pool.New(pool.Options{Depth: 8, Threads: 2}) },
		"uring": func() (driver.Driver, error) { return uring.New(uring.Options{Depth: 8}) },
	} {
		t.Run(name, func(t *testing.T) {
			hang.Watch(t)
			for at := 0; ; at++ {
				inner, err := open()
				if err != nil {
					skip.ForDriver(t, name, err)
				}
				s, f, loss := losing(t, inner, at)
				everything(t, s, f)
				wantLoss(t, s, loss.Fired())
				closeAfterLoss(t, s, f, at)
				if !loss.Fired() {
					break
				}
			}
		})
	}
}

// TestLossOfTheSyncDriver: the driver for fsyncs is lost with its first call, its second, and so
// on. Each Sync succeeds, as a plain call if need be, and the other operations stay queued.
func TestLossOfTheSyncDriver(t *testing.T) {
	hang.Watch(t)
	for at := 0; ; at++ {
		var drivers [2]driver.Driver // for fsyncs, and for everything else
		for i := range drivers {
			p, err := pool.New(pool.Options{Depth: 8, Threads: 2})
			if err != nil {
				t.Fatal(err)
			}
			drivers[i] = p
		}
		syncs, loss := fault.NewLoss(drivers[0], at, syscall.EPERM)
		s, f, _ := losing(t, drivers[1], 1<<30)
		s.SetSyncDriver(func() driver.Driver { return syncs })
		everything(t, s, f)
		want, _ := budgets()
		if all := s.Rings().Losses(); (len(all) == 1) != loss.Fired() || s.threads() != want {
			t.Errorf("Losses = %v, %d threads, the driver is lost: %t; want %d threads", all, s.threads(), loss.Fired(), want)
		}
		closeAfterLoss(t, s, f, at)
		if !loss.Fired() {
			return
		}
	}
}

// closeAfterLoss closes f and s, a Scheduler whose driver was lost with a call of that number. It
// ends the test if anything was wrong.
func closeAfterLoss(t *testing.T, s *Scheduler, f *File, call int) {
	t.Helper()
	f.Close(func() {})
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	wantNothing(t, s)
	if t.Failed() {
		t.Fatalf("lost with call %d", call)
	}
}

// budgets returns how many threads may wait, with a driver and after its loss.
func budgets() (least, wide int) {
	procs := runtime.GOMAXPROCS(0)
	return max(budget.Least, procs), max(budget.Parallel, procs)
}

// wantLoss checks what a Scheduler says of its driver.
func wantLoss(t *testing.T, s *Scheduler, lost bool) {
	t.Helper()
	all, threads, names := s.Rings().Losses(), s.threads(), int(s.names.all.Limit())
	want, wide := budgets()
	if lost {
		want = wide
	}
	if (len(all) == 1) != lost || threads != want || names != want {
		t.Errorf("Losses = %v, %d threads, %d for calls with names; lost: %t, want %d", all, threads, names, lost, want)
	}
	if lost && !errors.Is(all[0].Err, syscall.EPERM) {
		t.Errorf("the reason of the loss is %v; want EPERM", all[0].Err)
	}
}

// The loss of the driver lets many threads wait. Then
// few of the calls to a device that does not answer have begun when their contexts end, as if
// there had been no driver from the beginning.
func TestLossWithholdsCalls(t *testing.T) {
	hang.Watch(t)
	inner, err := pool.New(pool.Options{Depth: 8, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	drv, loss := fault.NewLoss(inner, 0, syscall.EPERM)
	s := newOn(async{drv}, Options{})
	s.paths.Device = func(fd int) (uint64, bool) { return uint64(fd), true }
	var calls atomic.Int32
	answers := make(chan struct{})
	s.paths.Call = func(_ driver.Code, fd int, b []byte, _ int64) int32 {
		if fd == 1 {
			calls.Add(1)
			<-answers
		}
		return int32(len(b))
	}
	if n, err := s.ReadAt(t.Context(), iopath.NewFile(2, true, false), make([]byte, 8), 0); n != 8 || err != nil || !loss.Fired() {
		t.Fatalf("ReadAt = %d, %v, the driver is lost: %t; want 8 bytes by a plain call", n, err, loss.Fired())
	}
	const reads = 40
	stalled := iopath.NewFile(1, true, false)
	var all sync.WaitGroup
	for range reads {
		all.Go(func() {
			if _, err := s.ReadAt(t.Context(), stalled, make([]byte, 8), 0); err != nil {
				t.Errorf("ReadAt = %v", err)
			}
		})
	}
	hang.Eventually(func() bool { return int(calls.Load())+s.waiting() == reads })
	if n := calls.Load(); n != budget.Parallel/4 {
		t.Errorf("%d calls are in the kernel; want %d", n, budget.Parallel/4)
	}
	close(answers)
	all.Wait()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

const lossBlock = 1000

func lossPattern(i int) []byte { return bytes.Repeat([]byte{byte(i + 1)}, lossBlock) }

// everything makes operations of all kinds, by several goroutines.
func everything(t *testing.T, s *Scheduler, f *File) {
	ctx := t.Context()
	var all sync.WaitGroup
	for g := range 4 {
		all.Go(func() { writeAndRead(t, ctx, s, f, g) })
	}
	all.Wait()
	all.Go(func() { readByTransfers(t, s, f) })
	all.Go(func() { readByGroup(t, s, f) })
	all.Go(func() { readCanceled(t, s, f) })
	for range 3 {
		all.Go(func() {
			if err := s.Sync(ctx, f); err != nil {
				t.Errorf("Sync = %v", err)
			}
		})
	}
	all.Wait()
}

func writeAndRead(t *testing.T, ctx context.Context, s *Scheduler, f *File, i int) {
	off := int64(i) * lossBlock
	if n, err := s.WriteAt(ctx, f, lossPattern(i), off); n != lossBlock || err != nil {
		t.Errorf("WriteAt = %d, %v", n, err)
	}
	b := make([]byte, lossBlock)
	if n, err := s.ReadAt(ctx, f, b, off); n != lossBlock || err != nil || !bytes.Equal(b, lossPattern(i)) {
		t.Errorf("ReadAt = %d, %v; the bytes are right: %t", n, err, bytes.Equal(b, lossPattern(i)))
	}
}

func readByTransfers(t *testing.T, s *Scheduler, f *File) {
	var transfers [4]Transfer
	var bufs [4][lossBlock]byte
	for i := range transfers {
		s.StartRead(&transfers[i], f, bufs[i][:], int64(i)*lossBlock, 0)
	}
	for i := range transfers {
		if n, err := transfers[i].Wait(t.Context()); n != lossBlock || err != nil || !bytes.Equal(bufs[i][:], lossPattern(i)) {
			t.Errorf("Wait = %d, %v; the bytes are right: %t", n, err, bytes.Equal(bufs[i][:], lossPattern(i)))
		}
	}
}

func readByGroup(t *testing.T, s *Scheduler, f *File) {
	g := s.NewTransferSet(t.Context(), f)
	defer g.Close()
	var bufs [4][lossBlock]byte
	for i := range bufs {
		g.StartRead(&Transfer{Owner: i}, f, bufs[i][:], int64(i)*lossBlock, 0)
	}
	for range bufs {
		tr, err := g.Next(t.Context())
		if err != nil {
			t.Errorf("Next = %v", err)
			return
		}
		i := tr.Owner.(int)
		if n, err := tr.Result(t.Context()); n != lossBlock || err != nil || !bytes.Equal(bufs[i][:], lossPattern(i)) {
			t.Errorf("Result = %d, %v; the bytes are right: %t", n, err, bytes.Equal(bufs[i][:], lossPattern(i)))
		}
	}
}

// readCanceled makes reads whose context ends.
func readCanceled(t *testing.T, s *Scheduler, f *File) {
	for range 2 {
		ctx, cancel := context.WithCancel(t.Context())
		var reads sync.WaitGroup
		reads.Go(func() {
			n, err := s.ReadAt(ctx, f, make([]byte, lossBlock), 0)
			if err == nil && n == lossBlock || errors.Is(err, context.Canceled) {
				return
			}
			t.Errorf("ReadAt with a context that ends = %d, %v", n, err)
		})
		cancel()
		reads.Wait()
	}
}

// TestLossWhileOneIsStuck: an operation that the driver has and that does not end holds up no
// operation that comes when the driver is lost.
func TestLossWhileOneIsStuck(t *testing.T) {
	hang.Watch(t)
	p, err := pool.New(pool.Options{Depth: 4, Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	gate := new(fault.Gate)
	first := fault.NewCounter(4, fault.Verdict{Gate: gate}) // after the writes
	s, f, loss := losing(t, fault.New(p, first.Decide), 1<<30)
	for i := range 4 {
		if n, err := s.WriteAt(t.Context(), f, lossPattern(i), int64(i)*lossBlock); n != lossBlock || err != nil {
			t.Fatalf("WriteAt = %d, %v", n, err)
		}
	}
	var stuck sync.WaitGroup
	stuck.Go(func() {
		b := make([]byte, lossBlock)
		if n, err := s.ReadAt(t.Context(), f, b, 0); n != lossBlock || err != nil || !bytes.Equal(b, lossPattern(0)) {
			t.Errorf("ReadAt that was stuck = %d, %v", n, err)
		}
	})
	for !gate.Waiting() {
		runtime.Gosched()
	}
	loss.Now()
	everything(t, s, f)
	wantLoss(t, s, true)
	gate.Open()
	stuck.Wait()
	f.Close(func() {})
	if err := s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	wantNothing(t, s)
}
