package sched

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// The leader of the next fsync waits for as many Syncs as the last one has served, and
// not for ever.
func TestSyncWaitsForThoseWhoWereThere(t *testing.T) {
	for _, comes := range []bool{true, false} {
		p := playSyncs(t)
		window := time.Millisecond
		if comes {
			window = time.Hour
		}
		p.f.Syncer.Init(groupcommit.Options{Expected: 2, Window: window})
		leader := p.sync(t.Context())
		other := leader
		if comes {
			if len(p.started) > 0 {
				t.Fatal("the fsync starts before the other is back")
			}
			other = p.sync(t.Context())
		}
		<-p.started // hangs if neither ends the wait
		p.results <- 0
		want(t, nil, leader)
		if comes {
			want(t, nil, other)
		}
		if n := p.calls.Load(); n != 1 {
			t.Errorf("%d fsyncs; want 1", n)
		}
	}
}

// A Sync that is alone does not wait.
func TestSyncAloneDoesNotWait(t *testing.T) {
	p := playSyncs(t)
	p.f.Syncer.Init(groupcommit.Options{Expected: 1, Window: time.Hour})
	for range 3 {
		c := p.sync(t.Context())
		<-p.started
		p.results <- 0
		want(t, nil, c)
	}
}

// A Sync that waits for another's fsync starts the write-back of the bytes written so far.
func TestWaitingSyncStartsWriteback(t *testing.T) {
	for _, c := range []struct {
		name   string
		write  int
		direct bool
		want   int32
	}{
		{"Much", groupcommit.MuchWritten, false, 1},
		{"Little", groupcommit.MuchWritten - 1, false, 0},
		{"Direct", groupcommit.MuchWritten, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := playSyncs(t)
			p.f = iopath.NewFile(1<<20, c.direct, false)
			p.f.Syncer.Concurrent.Store(true)
			p.paths.AsyncDirect[driver.Write], p.paths.AsyncBuffered[driver.Write] = false, false
			var started atomic.Int32
			fsync := p.paths.Call
			p.paths.Call = func(code driver.Code, fd int, b []byte, off int64) int32 {
				if code == driver.Write {
					return int32(len(b))
				}
				return fsync(code, fd, b, off)
			}
			p.startRange = func(int, int64, int64) int32 {
				started.Add(1)
				return -int32(syscall.EPERM) // a sandbox's: it is only a help
			}
			first := p.sync(t.Context())
			<-p.started
			if n, err := p.WriteAt(context.Background(), p.f, make([]byte, c.write), 0); n != c.write || err != nil {
				t.Fatalf("WriteAt = %d, %v", n, err)
			}
			second, third := p.sync(t.Context()), p.sync(t.Context())
			p.results <- 0
			want(t, nil, first)
			<-p.started
			p.results <- 0
			want(t, nil, second)
			want(t, nil, third)
			if n := started.Load(); n != c.want {
				t.Errorf("write-back started %d times; want %d", n, c.want)
			}
			if p.permits() != 0 {
				t.Error("a permit is still taken")
			}
		})
	}
}

// Where no permit is free the bytes still count: the next Sync that waits starts their write-back,
// and two Syncs that have written much still use two descriptors.
func TestNoPermitToStartWriteback(t *testing.T) {
	p := playSyncs(t)
	p.f.Syncer.Concurrent.Store(true)
	var started atomic.Int32
	p.startRange = func(int, int64, int64) int32 {
		started.Add(1)
		return 0
	}
	first := p.running(t.Context())
	p.f.Syncer.Written(0, groupcommit.MuchWritten)
	taken := 0
	for p.hold() {
		taken++
	}
	leave := func() { // joins the group, and returns only after it has looked for a permit
		ctx, cancel := context.WithCancel(t.Context())
		c := p.sync(ctx)
		cancel()
		want(t, context.Canceled, c)
	}
	leave()
	if n, counted := started.Load(), p.f.Syncer.Unsynced(); n != 0 || counted != groupcommit.MuchWritten {
		t.Errorf("without a permit: write-back started %d times, %d bytes count; want 0, %d", n, counted, groupcommit.MuchWritten)
	}
	for range taken {
		p.letGo()
	}
	leave()
	if n, counted := started.Load(), p.f.Syncer.Unsynced(); n != 1 || counted != 0 {
		t.Errorf("with a permit: write-back started %d times, %d bytes count; want 1, 0", n, counted)
	}
	p.results <- 0
	want(t, nil, first)
	if p.permits() != 0 {
		t.Error("a permit is still taken")
	}
}

// A write-back that the file system could not start may have cost the pages: the fsync that would
// have reported the loss then finds nothing to write.
func TestWritebackThatCannotStart(t *testing.T) {
	p := playSyncs(t)
	p.f.Syncer.Concurrent.Store(true)
	p.startRange = func(int, int64, int64) int32 { return -int32(syscall.EIO) }
	first := p.sync(t.Context())
	<-p.started
	p.f.Syncer.Written(0, groupcommit.MuchWritten)
	second := p.sync(t.Context())
	hang.Eventually(func() bool { return p.f.Syncer.Unsynced() == 0 })
	hang.Eventually(func() bool { return p.f.Syncer.Failed() != nil })
	p.results <- 0
	// The fsync of first ran beside the write-back, which may have taken its pages.
	want(t, syscall.EIO, first)
	want(t, syscall.EIO, second)
	if n := p.calls.Load(); n != 1 {
		t.Errorf("%d fsyncs; want 1", n)
	}
}

// TestWritebackBesideFsync: a write-back that goes on after the fsync beside which it began fails
// all Syncs that the fsync serves. So these wait for it. In a File that forgets errors, too: the
// next Sync is made then.
func TestWritebackBesideFsync(t *testing.T) {
	for _, forgets := range []bool{false, true} {
		p := playSyncs(t)
		if forgets {
			p.f.Syncer.Init(groupcommit.Options{ForgetErrors: true})
		}
		p.f.Syncer.Concurrent.Store(true)
		begun, goOn := make(chan bool), make(chan bool)
		p.startRange = func(int, int64, int64) int32 {
			begun <- true
			<-goOn
			return -int32(syscall.ENOSPC)
		}
		first := p.sync(t.Context())
		<-p.started
		other := p.sync(t.Context()) // leads the group
		p.f.Syncer.Written(0, groupcommit.MuchWritten)
		second := p.sync(t.Context()) // starts the write-back
		<-begun
		p.results <- 0
		goOn <- true
		for _, sync := range []chan error{first, other, second} {
			want(t, syscall.ENOSPC, sync)
		}
		last := p.sync(t.Context())
		if forgets {
			<-p.started
			p.results <- 0
			want(t, nil, last)
		} else {
			want(t, syscall.ENOSPC, last)
		}
	}
}
