package sched

import (
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver/script"
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
