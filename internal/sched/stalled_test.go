package sched

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// stalling returns a Scheduler of plain calls that lets 64 through for each device, and whose calls
// for the file with descriptor 1 end when release is closed. calls counts the calls that have
// begun.
func stalling(release chan struct{}, calls *atomic.Int32) *Scheduler {
	s := newOn(script.New(8), Options{Plain: 2})
	s.paths.Devices.Budgets().Widen()
	s.paths.AsyncDirect, s.paths.AsyncBuffered = [driver.NumCodes]bool{}, [driver.NumCodes]bool{}
	s.paths.Device = func(fd int) (uint64, bool) { return uint64(fd), true }
	s.paths.Call = func(_ driver.Code, fd int, b []byte, _ int64) int32 {
		if fd == 1 {
			calls.Add(1)
			<-release
		}
		return int32(len(b))
	}
	return s
}

// When the contexts of calls to a device that does not answer end, few of the calls have begun. All
// other calls return then, before the device answers. Calls to another device go on.
func TestStalledCallsAreWithdrawn(t *testing.T) {
	hang.Watch(t)
	release := make(chan struct{})
	var calls atomic.Int32
	s := stalling(release, &calls)
	stalled, other := iopath.NewFile(1, true, false), iopath.NewFile(2, true, false)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	// A quarter of the device's permits are taken, and by WriteRaw a quarter of the names'.
	const each, ways, begun = 20, 6, 2 * budget.Parallel / 4
	for range each {
		// Two files: the Syncs of one file would share a call.
		first, second := iopath.NewFile(1, true, false), iopath.NewFile(1, true, false)
		go func() { _, err := s.WriteAt(ctx, stalled, make([]byte, 8), 0); ended <- err }()
		go func() { ended <- s.Sync(ctx, first) }()
		go func() { ended <- s.Datasync(ctx, second) }()
		go func() { _, err := s.WriteRaw(ctx, RawFile{FD: 1}, make([]byte, 8), 0); ended <- err }()
		go func() {
			tr := Transfer{Ends: true}
			s.StartWrite(&tr, stalled, make([]byte, 8), 0, 0, true)
			_, err := tr.Wait(ctx)
			ended <- err
		}()
		go func() {
			call, err := s.BeginOnFile(ctx, Changes, stalled)
			if err == nil {
				s.paths.Call(driver.Nop, stalled.FD, nil, 0)
				call.End(record.KindTruncate, "", 0, 0, nil)
			}
			ended <- err
		}()
	}
	hang.Eventually(func() bool { return calls.Load() == begun && s.waiting() == ways*each-begun })
	for range 100 { // hangs if the stalled calls are in the way
		if n, err := s.WriteAt(ctx, other, make([]byte, 8), 0); n != 8 || err != nil {
			t.Fatalf("WriteAt = %d, %v; want 8", n, err)
		}
	}
	cancel()
	for range ways*each - begun { // hangs if one waits for the device
		if err := <-ended; !errors.Is(err, context.Canceled) {
			t.Errorf("a call = %v; want context.Canceled", err)
		}
	}
	close(release)
	for range begun {
		<-ended
	}
	if n := calls.Load(); n > begun {
		t.Errorf("%d calls were made; want at most %d", n, begun)
	}
	wantAllReleased(t, s)
}

// Devices whose plain calls do not end, as many calls as there may be, hold up no other device: not
// its writes, not its Syncs, not its helpers. Files on no device are not held up, either.
func TestStalledCalls(t *testing.T) {
	hang.Watch(t)
	release := make(chan struct{})
	s := newOn(script.New(8), Options{Plain: 2})
	s.paths.AsyncDirect = [driver.NumCodes]bool{}
	s.paths.Device = func(fd int) (uint64, bool) { return uint64(fd), fd > 0 }
	s.paths.Call = func(_ driver.Code, fd int, b []byte, _ int64) int32 {
		if fd <= 1 {
			<-release
		}
		return int32(len(b))
	}
	stalled, other := []*File{iopath.NewFile(0, true, false), iopath.NewFile(1, true, false)}, iopath.NewFile(2, true, false)
	var all sync.WaitGroup
	var helped [40]Transfer
	for i := range helped {
		slow := stalled[i%2]
		all.Go(func() {
			if i%4 < 2 {
				if _, err := s.WriteAt(context.Background(), slow, make([]byte, 8), 0); err != nil {
					t.Error(err)
				}
			} else if err := s.Sync(context.Background(), slow); err != nil {
				t.Error(err)
			}
		})
		s.StartWrite(&helped[i], slow, make([]byte, 8), 0, 0, true)
	}
	// The permits of writes, and one Sync.
	hang.Eventually(func() bool { return s.permits() >= 2*(budget.Least-2) && s.waiting() > 0 })
	// This hangs if the stalled calls are in the way.
	for range 100 {
		if n, err := s.WriteAt(t.Context(), other, make([]byte, 8), 0); n != 8 || err != nil {
			t.Fatalf("WriteAt = %d, %v; want 8", n, err)
		}
		if err := s.Sync(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		if err := s.Datasync(t.Context(), other); err != nil {
			t.Fatal(err)
		}
		var tr Transfer
		s.StartWrite(&tr, other, make([]byte, 8), 0, 0, true)
		if n, err := tr.Wait(t.Context()); n != 8 || err != nil {
			t.Fatalf("Wait = %d, %v; want 8", n, err)
		}
	}
	close(release)
	all.Wait()
	for i := range helped {
		if n, err := helped[i].Wait(t.Context()); n != 8 || err != nil {
			t.Errorf("Wait = %d, %v; want 8", n, err)
		}
	}
	s.Close()
	wantAllReleased(t, s)
}

// wantAllReleased fails the test unless all permits of s are released and nobody waits for one.
func wantAllReleased(t *testing.T, s *Scheduler) {
	t.Helper()
	if s.permits() != 0 || s.waiting() != 0 {
		t.Errorf("at the end: %d permits taken, %d goroutines wait", s.permits(), s.waiting())
	}
}
