package sched

import (
	"context"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/hang"
)

// stopClock gives p a clock that moves only when the test says so.
func (p *syncs) stopClock() (advance func(time.Duration)) {
	var now atomic.Int64
	p.now = func() time.Duration { return time.Duration(now.Load()) }
	return func(d time.Duration) { now.Add(int64(d)) }
}

// Who makes the next fsync waits for those whom the last one has served, and
// not for ever.
func TestSyncWaitsForThoseWhoWereThere(t *testing.T) {
	for _, comes := range []bool{true, false} {
		p := playSyncs(t)
		advance := p.stopClock()
		p.f.syncer.commitDelay = commitDelay{expected: 2, took: time.Second}
		leader := p.sync(t.Context())
		if len(p.started) > 0 {
			t.Fatal("the fsync starts before the other is back")
		}
		other := leader
		if comes {
			other = p.sync(t.Context())
		} else {
			advance(maxDelay)
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
		if skip := p.f.syncer.commitDelay.skip; (skip == 0) != comes {
			t.Errorf("next attempts left out: %d; the other has come: %t", skip, comes)
		}
	}
}

// Who is alone does not wait: the clock stands still here.
func TestSyncAloneDoesNotWait(t *testing.T) {
	p := playSyncs(t)
	p.stopClock()
	for range 3 {
		c := p.sync(t.Context())
		<-p.started
		p.results <- 0
		want(t, nil, c)
	}
}

func TestSyncOfManyIsNotHeldUp(t *testing.T) {
	m := commitDelay{expected: 100, took: time.Second}
	if m.enough(maxExpected-1) || !m.enough(maxExpected) {
		t.Errorf("enough(%d) = %t, enough(%d) = %t; want false, true",
			maxExpected-1, m.enough(maxExpected-1), maxExpected, m.enough(maxExpected))
	}
	if m.expected = 2; m.enough(1) || !m.enough(2) {
		t.Errorf("of 2 expected: enough(1) = %t, enough(2) = %t; want false, true", m.enough(1), m.enough(2))
	}
}

// Nobody waits longer than a fraction of an fsync.
func TestMusterLimit(t *testing.T) {
	for took, want := range map[time.Duration]time.Duration{
		0:                      0,
		60 * time.Microsecond:  10 * time.Microsecond,
		600 * time.Microsecond: maxDelay,
		time.Hour:              maxDelay,
	} {
		if got := (&commitDelay{took: took}).limit(); got != want {
			t.Errorf("after an fsync of %v: limit %v; want %v", took, got, want)
		}
	}
}

// After n attempts in vain 2ⁿ-1 are left out, at most 255; one that bears
// fruit ends that.
func TestFruitlessAttemptsAreSpacedOut(t *testing.T) {
	var r backoff
	skips := func() (n int) {
		for r.skipped() {
			n++
		}
		return n
	}
	for _, want := range []int{1, 3, 7, 15, 31, 63, 127, 255, 255} {
		r.note(false)
		if got := skips(); got != want {
			t.Errorf("%d left out; want %d", got, want)
		}
	}
	r.note(true)
	if got := skips(); got != 0 {
		t.Errorf("%d left out after a success; want 0", got)
	}
	if r.note(false); skips() != 1 {
		t.Error("a success does not start the count anew")
	}
}

// A Sync that waits for another's fsync has the disk begin with what is there.
func TestWaitingSyncStartsWriteback(t *testing.T) {
	for _, c := range []struct {
		name   string
		write  int
		direct bool
		want   int32
	}{
		{"Much", muchWritten, false, 1},
		{"Little", muchWritten - 1, false, 0},
		{"Direct", muchWritten, true, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := playSyncs(t)
			p.f = NewFile(1<<20, c.direct, false)
			p.f.syncer.concurrent.Store(true)
			p.asyncDirect[driver.Write], p.asyncBuffered[driver.Write] = false, false
			var started atomic.Int32
			fsync := p.call
			p.call = func(code driver.Code, fd int, b []byte, off int64) int32 {
				switch code {
				case driver.Write:
					return int32(len(b))
				case writeback:
					started.Add(1)
					return -int32(syscall.EPERM) // a sandbox's: it is only a help
				}
				return fsync(code, fd, b, off)
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
			if p.limiter.InUse() != 0 {
				t.Error("a place at the gate is still taken")
			}
		})
	}
}

// A write-back that the file system could not start may have cost the pages: then
// the fsync that would have been told so finds nothing to write.
func TestWritebackThatCannotStart(t *testing.T) {
	p := playSyncs(t)
	p.f.syncer.concurrent.Store(true)
	fsync := p.call
	p.call = func(code driver.Code, fd int, b []byte, off int64) int32 {
		if code == writeback {
			return -int32(syscall.EIO)
		}
		return fsync(code, fd, b, off)
	}
	first := p.sync(t.Context())
	<-p.started
	p.f.noteWritten(muchWritten)
	second := p.sync(t.Context())
	hang.Eventually(func() bool { return p.f.unsynced.Load() == 0 })
	hang.Eventually(func() bool {
		p.f.syncer.mu.Lock()
		defer p.f.syncer.mu.Unlock()
		return p.f.syncer.failed != nil
	})
	p.results <- 0
	want(t, nil, first)
	want(t, syscall.EIO, second)
	if n := p.calls.Load(); n != 1 {
		t.Errorf("%d fsyncs; want 1", n)
	}
}
