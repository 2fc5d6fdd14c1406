package sched

import (
	"context"
	"errors"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// playWrites is playSyncs of a file that was opened with O_SYNC, whose writes the
// test plays as well: each waits until the test gives the result of its offset.
func playWrites(t *testing.T) (p *syncs, results map[int64]chan int32) {
	p = playSyncs(t)
	p.paths.AsyncBuffered[driver.Write] = false
	p.unbound()
	p.f.SetSyncsWrites()
	results = map[int64]chan int32{0: make(chan int32), 1: make(chan int32), 2: make(chan int32)}
	p.paths.Call = func(code driver.Code, _ int, _ []byte, off int64) int32 {
		p.started <- struct{}{}
		if code == driver.Write {
			return <-results[off]
		}
		return <-p.results
	}
	return p, results
}

// write starts a write of a byte at off, and returns once its call has begun.
func (p *syncs) write(ctx context.Context, off int64) chan error {
	res := make(chan error, 1)
	go func() {
		_, err := p.WriteAt(ctx, p.f, make([]byte, 1), off)
		res <- err
	}()
	<-p.started
	return res
}

// confirming waits until a write waits for the calls beside it.
func (p *syncs) confirming() {
	hang.Eventually(func() bool { return hang.Parked("groupcommit.(*calls).await") == 1 })
}

// Hazard: the kernel follows a write to a file with O_SYNC by an fsync, and reports a
// lost write-back to one call of the description. Guard: a write that has succeeded
// is believed once the calls beside it have ended, and none has lost data.
func TestSynchronousWriteWaitsForOthers(t *testing.T) {
	for _, lost := range []bool{false, true} {
		p, results := playWrites(t)
		a := p.write(t.Context(), 0)
		b := p.write(t.Context(), 1)
		results[0] <- 1
		p.confirming()
		if len(a) > 0 {
			t.Fatal("a write returned while another runs that may have got its error")
		}
		late := p.write(t.Context(), 2) // begins when the first has ended: not beside it
		if lost {
			results[1] <- -int32(syscall.EIO)
			want(t, syscall.EIO, b)
			want(t, syscall.EIO, a)
		} else {
			results[1] <- 1
			want(t, nil, a)
		}
		results[2] <- 1
		if lost {
			want(t, syscall.EIO, late)
		} else {
			want(t, nil, b)
			want(t, nil, late)
		}
		after := p.write(t.Context(), 0)
		results[0] <- 1
		want(t, nil, after)
	}
}

// An fsync beside a write may take its error, and a write that an fsync is beside.
func TestSynchronousWriteBesideFsync(t *testing.T) {
	p, results := playWrites(t)
	sync := p.sync(t.Context())
	<-p.started
	a := p.write(t.Context(), 0)
	results[0] <- 1
	p.confirming()
	p.results <- -int32(syscall.EIO)
	want(t, syscall.EIO, sync)
	want(t, syscall.EIO, a)
}

// A write that waits for others ends with its context.
func TestSynchronousWriteLeaves(t *testing.T) {
	p, results := playWrites(t)
	ctx, cancel := context.WithCancel(t.Context())
	b := p.write(t.Context(), 1)
	a := p.write(ctx, 0)
	results[0] <- 1
	p.confirming()
	cancel()
	if err := <-a; !errors.Is(err, context.Canceled) || !errors.Is(err, ErrUnconfirmed) {
		t.Errorf("WriteAt = %v; want context.Canceled, and ErrUnconfirmed: the write was made", err)
	}
	results[1] <- 1
	want(t, nil, b)
}

// An error that says that nothing was written is no loss for the writes beside it.
func TestSynchronousWriteThatIsRefused(t *testing.T) {
	for _, errno := range []syscall.Errno{syscall.EFBIG, syscall.EINVAL, syscall.EPERM} {
		p, results := playWrites(t)
		b := p.write(t.Context(), 1)
		a := p.write(t.Context(), 0)
		results[0] <- 1
		p.confirming()
		results[1] <- -int32(errno)
		want(t, errno, b)
		want(t, nil, a)
	}
}

// Hazard: the fsync after a write with O_SYNC may fail with ENOMEM, as the device failed the
// write-back, and the plain call that replaces the write does not report that again. Guard: a write
// for which the kernel had no memory fails, although the plain call has succeeded.
func TestSynchronousWriteWithoutMemory(t *testing.T) {
	const enomem = -int32(syscall.ENOMEM)
	p := play(t, queueAll, []int32{enomem, enomem}, []int32{100, 100})
	p.f.SetSyncsWrites()
	b := make([]byte, 100)
	if _, err := p.WriteAt(t.Context(), p.f, b, 0); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("WriteAt = %v; want ENOMEM", err)
	}
	var tr Transfer
	p.StartWrite(&tr, p.f, b, 0, 0, false)
	if n, err := tr.Wait(t.Context()); n != 0 || !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("Wait = %d, %v; want 0, ENOMEM", n, err)
	}
}

// A Transfer waits for the writes beside it in Wait.
func TestSynchronousTransfer(t *testing.T) {
	for _, errno := range []syscall.Errno{0, syscall.EIO} {
		p, results := playWrites(t)
		b := p.write(t.Context(), 1)
		var tr Transfer
		p.f.Use()
		p.StartWrite(&tr, p.f, make([]byte, 1), 0, 0, false)
		p.f.Done()
		<-p.started
		results[0] <- 1
		res := make(chan error, 1)
		go func() {
			n, err := tr.Wait(t.Context())
			if (n == 1) != (err == nil) {
				t.Errorf("Wait = %d, %v", n, err)
			}
			res <- err
		}()
		p.confirming()
		if errno != 0 {
			results[1] <- -int32(errno)
			want(t, errno, b)
			want(t, errno, res)
		} else {
			results[1] <- 1
			want(t, nil, b)
			want(t, nil, res)
		}
	}
}

// TestSynchronousWriteBesideSyncRange checks that a write with O_SYNC fails beside a write-back
// that could not be started. That may have given up the write's pages, and the kernel's fsync of
// the write then finds nothing to write.
func TestSynchronousWriteBesideSyncRange(t *testing.T) {
	p, results := playWrites(t)
	p.startRange = func(int, int64, int64) int32 {
		p.started <- struct{}{}
		return <-p.results
	}
	write := p.write(t.Context(), 0)
	ranged := make(chan error, 1)
	go func() { ranged <- p.SyncRange(p.f, 0, 0) }()
	<-p.started
	p.results <- -int32(syscall.EIO)
	want(t, syscall.EIO, ranged)
	results[0] <- 1
	want(t, syscall.EIO, write)
}
