package groupcommit

import (
	"context"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/pressure"
)

// heldCaller is a caller whose fsync succeeds once end is closed.
type heldCaller struct {
	began, end chan struct{}
	processors pressure.Signal
}

func newHeldCaller() *heldCaller {
	return &heldCaller{began: make(chan struct{}), end: make(chan struct{})}
}

func (*heldCaller) Admit(context.Context) error    { return nil }
func (*heldCaller) Reopen() int                    { return -1 }
func (*heldCaller) StartWriteback()                {}
func (*heldCaller) Now() time.Duration             { return 0 }
func (c *heldCaller) Processors() *pressure.Signal { return &c.processors }
func (c *heldCaller) Fsync(driver.Code, int) Made {
	close(c.began)
	<-c.end
	return Made{}
}

// sync begins a Sync of c, and returns once its fsync runs.
func (c *heldCaller) sync(s *Syncer) chan error {
	res := make(chan error, 1)
	go func() {
		_, err := s.Do(context.Background(), driver.Fsync, c)
		res <- err
	}()
	<-c.began
	return res
}

// TestFailedWritebackFailsBothFsyncs has two fsyncs run when a write-back cannot be started. It may
// have given up pages of both, so both Syncs fail, whichever ends first.
func TestFailedWritebackFailsBothFsyncs(t *testing.T) {
	for _, secondFirst := range []bool{true, false} {
		var s Syncer
		s.Init(Options{})
		// The callers make no call on this descriptor.
		s.second.state, s.second.fd = serving, 1000
		callers, results := []*heldCaller{newHeldCaller(), newHeldCaller()}, make([]chan error, 2)
		for i, c := range callers {
			s.unsynced.Store(HugeWritten)
			results[i] = c.sync(&s)
		}
		if !s.second.busy {
			t.Fatal("the other fsync is not on the second descriptor")
		}
		s.Writeback(func() int32 { return -int32(syscall.EIO) })
		order := []int{0, 1}
		if secondFirst {
			order = []int{1, 0}
		}
		for _, i := range order {
			close(callers[i].end)
			if err := <-results[i]; err != syscall.EIO {
				t.Errorf("second first: %t: Sync %d = %v; want EIO", secondFirst, i, err)
			}
		}
	}
}

// beginWriteback begins a write-back, which ends with the result that it is sent.
func beginWriteback(s *Syncer) (end chan int32) {
	began, end := make(chan bool), make(chan int32)
	go s.Writeback(func() int32 {
		close(began)
		return <-end
	})
	<-began
	return end
}

// TestLateWritebackFailsTheNextSync has a write-back begin once an fsync has ended, and fail while
// the Sync waits for an earlier write-back. The error is the next Sync's, and its alone.
func TestLateWritebackFailsTheNextSync(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Syncer
		s.Init(Options{ForgetErrors: true})
		earlier := beginWriteback(&s)
		first, next := newHeldCaller(), newHeldCaller()
		synced := first.sync(&s)
		close(first.end)
		synctest.Wait() // the fsync has ended
		beginWriteback(&s) <- -int32(syscall.EIO)
		synctest.Wait()
		earlier <- 0
		if err := <-synced; err != nil {
			t.Errorf("the Sync whose fsync had ended = %v; want success", err)
		}
		synced = next.sync(&s)
		close(next.end)
		if err := <-synced; err != syscall.EIO {
			t.Errorf("the next Sync = %v; want EIO", err)
		}
		next = newHeldCaller()
		synced = next.sync(&s)
		close(next.end)
		if err := <-synced; err != nil {
			t.Errorf("the Sync after that = %v; want success", err)
		}
	})
}

// TestSyncEndsWhileRangesOverlap has SyncRanges overlap without end. A Sync waits for those that
// have begun when its fsync ends, and not for later ones.
func TestSyncEndsWhileRangesOverlap(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Syncer
		s.Init(Options{})
		end := beginWriteback(&s)
		c := newHeldCaller()
		synced := c.sync(&s)
		close(c.end)
		synctest.Wait() // the fsync has ended, and waits for the write-back
		later := beginWriteback(&s)
		close(end)
		synctest.Wait()
		select {
		case err := <-synced:
			if err != nil {
				t.Error(err)
			}
		default:
			t.Error("Sync waits for a write-back that began after its fsync had ended")
		}
		close(later)
		synctest.Wait()
	})
}
