package batch_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/batch"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// endsWhenAsked is a context that ends when its Done is called for the nth time. A goroutine calls
// Done before it waits, so it notices.
type endsWhenAsked struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int32
}

func (c *endsWhenAsked) Done() <-chan struct{} {
	if c.left.Add(-1) == 0 {
		c.cancel()
	}
	return c.Context.Done()
}

// TestBatchWithdrawn ends the context while a Batch's read waits for room in the driver, and just
// before. The read has not begun.
func TestBatchWithdrawn(t *testing.T) {
	for at := range int32(2) {
		var gate fault.Gate
		hold := func(*driver.Op) fault.Verdict { return fault.Verdict{Gate: &gate} }
		s := testenv.SchedulerOn(fault.New(testenv.AsyncPool{Pool: testenv.PoolOf(t, 1)}, hold))
		f := testenv.DirectOn(t, s, t.TempDir(), 4*testenv.PageSize)
		held := make(chan error)
		go func() {
			_, err := f.ReadAt(testenv.AlignedBytes(testenv.PageSize), 0)
			held <- err
		}()
		testenv.WaitOr(gate.Waiting, func() { t.Error("the driver has nothing at the gate") })

		ctx := &endsWhenAsked{}
		ctx.Context, ctx.cancel = context.WithCancel(t.Context())
		ctx.left.Store(at + 1)
		b, buf := batch.New(s), testenv.AlignedBytes(testenv.PageSize)
		c := b.Chain()
		read := c.ReadAt(batch.On(f), buf, testenv.PageSize)
		after := c.Sync(batch.On(f))
		err := b.Do(ctx)
		for _, op := range []*batch.Op{read, after} {
			if op.State() != batch.NotBegun || !errors.Is(op.Err(), batch.ErrNotBegun) || !errors.Is(op.Err(), context.Canceled) {
				t.Errorf("operation %d = %v, %v; want it not begun, and context.Canceled", op.Index(), op.State(), op.Err())
			}
		}
		if !errors.Is(err, batch.ErrNotBegun) || read.N() != 0 || !bytes.Equal(buf, make([]byte, testenv.PageSize)) {
			t.Errorf("Do = %v, the read has %d bytes; want ErrNotBegun, and a buffer that is as it was", err, read.N())
		}
		gate.Open()
		if err := <-held; err != nil {
			t.Errorf("the read that the driver had = %v", err)
		}
		ctx.cancel()
		s.Close()
	}
}

// TestBatchBegun ends the context when an open of a FIFO has begun. The open still waits for the
// other end, and has its result. The next operation of its chain has not begun.
func TestBatchBegun(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		name := filepath.Join(t.TempDir(), "fifo")
		if err := unix.Mkfifo(name, 0o600); err != nil {
			skip.For(t, skip.Special, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		begun := make(chan struct{})
		other := make(chan error)
		go func() {
			<-begun
			f, err := os.OpenFile(name, os.O_WRONLY, 0)
			other <- errors.Join(err, f.Close())
		}()
		b := batch.New(s)
		b.PlayCalls(func(*batch.Op) error {
			cancel()
			close(begun)
			return nil
		})
		c := b.Chain()
		open := c.Open(name)
		stat := c.Stat(name)
		err := b.Do(ctx)
		wantOps(t, []*batch.Op{open.Op(), stat}, batch.Done, batch.NotBegun)
		if !errors.Is(err, batch.ErrNotBegun) || !errors.Is(stat.Err(), context.Canceled) {
			t.Errorf("Do = %v, of the second operation %v; want ErrNotBegun and context.Canceled", err, stat.Err())
		}
		if err := errors.Join(<-other, open.Op().File().Close()); err != nil {
			t.Error(err)
		}
	})
}

// TestBatchUnconfirmed ends the context after a write to a file with O_SYNC was made. The operation
// still waits: the write beside it could have taken its error. It counts as begun.
func TestBatchUnconfirmed(t *testing.T) {
	hang.Watch(t)
	begun, release := make(chan struct{}), make(chan struct{})
	s := testenv.SchedulerOnWrapped(testenv.PoolOf(t, 1), func(call iopath.Caller) iopath.Caller {
		return func(code driver.Code, fd int, b []byte, off int64) int32 {
			if off == 0 {
				close(begun)
				<-release
			}
			return call(code, fd, b, off)
		}
	})
	defer s.Close()
	f, err := s.OpenFile(filepath.Join(t.TempDir(), "file"), os.O_RDWR|os.O_CREATE|os.O_SYNC, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	held := make(chan error)
	go func() {
		_, err := f.WriteAt([]byte("held"), 0)
		held <- err
	}()
	<-begun
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		hang.Eventually(func() bool { return hang.Parked("groupcommit.(*LostWrites).Confirm") == 1 })
		cancel()
	}()
	b := batch.New(s)
	c := b.Chain()
	write := c.WriteAt(batch.On(f), []byte("here"), 4)
	after := c.Sync(batch.On(f))
	err = b.Do(ctx)
	if write.State() != batch.Failed || write.N() != 0 || !errors.Is(write.Err(), context.Canceled) || err != write.Err() {
		t.Errorf("the write = %v, %d, %v, and Do = %v; want it failed, 0, context.Canceled, and the same", write.State(), write.N(), write.Err(), err)
	}
	if after.State() != batch.NotBegun || !errors.Is(after.Err(), batch.ErrChainBroken) {
		t.Errorf("what is chained to it = %v, %v; want it not begun, and ErrChainBroken", after.State(), after.Err())
	}
	close(release)
	if err := errors.Join(<-held, f.Close()); err != nil {
		t.Error(err)
	}
	if text, err := os.ReadFile(f.Name()); string(text) != "heldhere" {
		t.Errorf("the file has %q, %v; want what both have written", text, err)
	}
}
