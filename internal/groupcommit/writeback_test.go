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

// heldCaller is a caller whose fsync ends with err once end is closed.
type heldCaller struct {
	began, end chan struct{}
	err        error
	processors pressure.Signal
}

func newHeldCaller() *heldCaller {
	return &heldCaller{began: make(chan struct{}), end: make(chan struct{})}
}

func (*heldCaller) Admit(context.Context) error    { return nil }
func (*heldCaller) StartWriteback()                {}
func (*heldCaller) Now() time.Duration             { return 0 }
func (c *heldCaller) Processors() *pressure.Signal { return &c.processors }
func (c *heldCaller) Fsync(driver.Code) Made {
	close(c.began)
	<-c.end
	return Made{Err: c.err}
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

// TestFailedWritebackFailsTheFsync has a write-back fail while an fsync runs and a Sync waits for
// the next one. It may have given up pages of both, so both fail, also if no fsync can be made any
// more.
func TestFailedWritebackFailsTheFsync(t *testing.T) {
	for _, fsync := range []error{nil, syscall.EROFS} {
		for _, forgets := range []bool{false, true} {
			testFailedWriteback(t, fsync, forgets)
		}
	}
}

func testFailedWriteback(t *testing.T, fsync error, forgets bool) {
	synctest.Test(t, func(t *testing.T) {
		var s Syncer
		s.Init(Options{ForgetErrors: forgets})
		c := newHeldCaller()
		c.err = fsync
		runs := c.sync(&s)
		waits := make(chan error, 1)
		go func() {
			_, err := s.Do(context.Background(), driver.Fsync, newHeldCaller())
			waits <- err
		}()
		synctest.Wait()
		s.Writeback(func() int32 { return -int32(syscall.EIO) })
		close(c.end)
		for _, res := range []chan error{runs, waits} {
			if err := <-res; err != syscall.EIO {
				t.Errorf("forgets %t, an fsync that returns %v: Sync = %v; want EIO", forgets, fsync, err)
			}
		}
	})
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
// the Sync waits for an earlier write-back. The error is the next Sync's, and no later one's where
// errors are forgotten.
func TestLateWritebackFailsTheNextSync(t *testing.T) {
	t.Run("forgotten", func(t *testing.T) { testLateWriteback(t, true, nil) })
	t.Run("remembered", func(t *testing.T) { testLateWriteback(t, false, syscall.EIO) })
}

// testLateWriteback wants the Sync after the next one to return last.
func testLateWriteback(t *testing.T, forgets bool, last error) {
	synctest.Test(t, func(t *testing.T) {
		var s Syncer
		s.Init(Options{ForgetErrors: forgets})
		earlier := beginWriteback(&s)
		first := newHeldCaller()
		synced := first.sync(&s)
		close(first.end)
		synctest.Wait() // the fsync has ended
		beginWriteback(&s) <- -int32(syscall.EIO)
		synctest.Wait()
		earlier <- 0
		if err := <-synced; err != nil {
			t.Errorf("the Sync whose fsync had ended = %v; want success", err)
		}
		for _, want := range []error{syscall.EIO, last} {
			c := newHeldCaller()
			close(c.end)
			if _, err := s.Do(t.Context(), driver.Fsync, c); err != want {
				t.Errorf("a later Sync = %v; want %v", err, want)
			}
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
