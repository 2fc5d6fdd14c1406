package sched

import (
	"io"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// TestStatsOfSends: a sendfile in progress is among the threads that wait, as long as it lasts. This one waits for its
// peer, because its socket is one that blocks. More Sends than have places do not count.
func TestStatsOfSends(t *testing.T) {
	hang.Watch(t)
	s := New(script.New(1), Limits{Blocking: 1})
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
	s.PlainSends.Add(MostSends)
	if n := s.Stats().Blocked; n != MostSends {
		t.Errorf("Stats.Blocked = %d with one Send more than there are places; want %d", n, MostSends)
	}
	s.PlainSends.Add(-MostSends)
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

// TestSendsOfWhatIsInMemory: beyond the first places a Send looks whether its bytes are in memory. While all looks find
// them, it rarely looks, until one does not.
func TestSendsOfWhatIsInMemory(t *testing.T) {
	hang.Watch(t)
	drv := script.New(1)
	drv.Rule = whole
	s := New(drv, Limits{Blocking: 1})
	defer s.Close()
	data := make([]byte, 4<<10)
	f := openSystem(t, data)
	if !f.CachedAt(0) {
		t.Skip("the file system of TMPDIR refuses RWF_NOWAIT")
	}
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fds[0])
	defer unix.Close(fds[1])
	send := func() {
		t.Helper()
		if _, err := unix.Seek(f.FD, 0, unix.SEEK_SET); err != nil {
			t.Fatal(err)
		}
		if n, err := s.Send(f, fds[0]); n != len(data) || err != nil && err != io.EOF {
			t.Fatalf("Send = %d, %v", n, err)
		}
		if _, err := unix.Read(fds[1], data); err != nil {
			t.Fatal(err)
		}
	}
	rare := func() bool { return s.sendLooks.found.Load() == enoughFound }
	for range 100 {
		send()
	}
	if rare() {
		t.Error("Sends looked that have one of the first places")
	}
	s.PlainSends.Add(mostPlainSends)
	for i := range enoughFound {
		if rare() {
			t.Fatalf("looks are rare after %d that have found the bytes; want %d", i, enoughFound)
		}
		send()
	}
	if !rare() {
		t.Fatalf("looks are not rare after %d that have found the bytes", enoughFound)
	}
	s.PlainSends.Add(MostSends - mostPlainSends)
	before := s.sendLooks.skipped.Load()
	send()
	if s.sendLooks.skipped.Load() != before {
		t.Error("a Send without any place did not look")
	}
	s.PlainSends.Add(mostPlainSends - MostSends)
	if err := unix.Fsync(f.FD); err != nil {
		t.Fatal(err)
	}
	sends := 0
	for ; rare() && sends < 50*sendLookEvery; sends++ {
		if err := unix.Fadvise(f.FD, 0, 0, unix.FADV_DONTNEED); err != nil {
			t.Fatal(err)
		}
		send()
	}
	if rare() {
		t.Skip("the page cache keeps the file") // as tmpfs does
	}
	if sends < 2 {
		t.Errorf("%d Sends looked one after the other", sends)
	}
}
