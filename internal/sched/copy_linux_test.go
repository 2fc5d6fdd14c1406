package sched

import (
	"errors"
	"io"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/pressure"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// TestStatsOfSends: a sendfile in progress is among the threads that wait, as long as it lasts.
// This one waits for its peer, because its socket is one that blocks. More Sends than have places
// do not count.
func TestStatsOfSends(t *testing.T) {
	hang.Watch(t)
	s := newOn(script.New(1), Options{Threads: 1})
	defer s.Close()
	data := make([]byte, CopyMost)
	f := openSystem(t, data)
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	sent := make(chan error, 1)
	go func() {
		_, err := s.Send(f, fds[0])
		sent <- err
	}()
	hang.Eventually(func() bool { return s.Stats().Blocked == 1 })
	for left := len(data); left > 0; {
		n, err := unix.Read(fds[1], data)
		if n <= 0 || err != nil {
			t.Fatal(n, err)
		}
		left -= n
	}
	if err := <-sent; err != nil {
		t.Error(err)
	}
	if n := s.Stats().Blocked; n != 0 {
		t.Errorf("Stats.Blocked = %d after the Send; want 0", n)
	}
}

// A Send for which there is no permit yields. If one is released meanwhile, the Send need not fetch
// the file's bytes.
func TestSendYields(t *testing.T) {
	hang.Watch(t)
	s := newOn(script.New(1), Options{Threads: 1})
	defer s.Close()
	f := openSystem(t, make([]byte, 4<<10))
	if err := errors.Join(unix.Fsync(f.FD), unix.Fadvise(f.FD, 0, 0, unix.FADV_DONTNEED)); err != nil {
		t.Fatal(err)
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	p, ok := s.DeviceOf(f).Budget.TryAcquire(budget.Reads)
	if !ok {
		t.Fatal("no permit")
	}
	// The Send looks at the clock before it decides to yield, as the yield begins, and as it ends.
	looks := 0
	s.paths.Clock = func() time.Duration {
		if looks++; looks == 3 {
			p.Release()
		}
		return 0
	}
	if n, err := s.Send(f, fds[0]); n != 4<<10 || err != io.EOF {
		t.Errorf("Send = %d, %v; want 4096, EOF", n, err)
	}
	if n := s.Stats().Plain + s.Stats().Queued; n != 0 {
		t.Errorf("Send has fetched with %d reads; want 0", n)
	}
}

// After a yield that took time slices, in a program that uses all processors, Sends do not yield
// for a while.
func TestSendYieldsNoMore(t *testing.T) {
	s := newOn(script.New(1), Options{})
	defer s.Close()
	// It is not known how much the program uses, so it may be all.
	s.paths.Engines.Processors.Used = func() time.Duration { return 0 }
	now, took := time.Hour, time.Duration(0)
	s.paths.Clock = func() time.Duration { now += took; return now }
	for i, step := range []struct {
		took, passes time.Duration // by the clock: what a yield takes, and what passes after it
		yields       bool
	}{
		{took: 0, yields: true},
		{took: pressure.Slow, yields: true},
		{yields: false},
		{passes: time.Second, yields: false},
		{yields: true},
	} {
		took = step.took
		if yields := s.yieldInSend(); yields != step.yields {
			t.Errorf("step %d: yieldInSend = %v; want %v", i, yields, step.yields)
		}
		now += step.passes
	}
}
