package sched

import (
	"context"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
)

// TestBorrowForgets: an fsync that has failed is the kernel's to remember.
func TestBorrowForgets(t *testing.T) {
	p := playSyncs(t)
	p.f = Borrow(1<<20, false, false)
	for _, errno := range []syscall.Errno{syscall.EIO, syscall.ENOSPC, 0} {
		done := p.sync(context.Background())
		<-p.started
		p.results <- -int32(errno)
		if err := <-done; (err == nil) != (errno == 0) || err != nil && err != errno {
			t.Errorf("Sync = %v; want errno %d", err, errno)
		}
	}
}

// TestBorrowHasOneDescriptor: a second one, when it is closed, takes the
// process's locks on the file with it.
func TestBorrowHasOneDescriptor(t *testing.T) {
	s := New(newScript(8), queueAll)
	defer s.Close()
	s.reopen = func(int) int { t.Error("a second descriptor was opened"); return -1 }
	s.call = func(driver.Code, int, []byte, int64) int32 { return 0 }
	f := Borrow(1<<20, false, false)
	f.syncer.muster.expected = 2
	f.unsynced.Store(hugeWritten)
	if err := s.Sync(context.Background(), f); err != nil {
		t.Errorf("Sync = %v", err)
	}
}

// TestBorrowed: short counts, the end of the file and errors are the system
// calls'.
func TestBorrowed(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	drv, err := pool.New(pool.Options{Depth: 8, Threads: 2})
	if err != nil {
		t.Fatal(err)
	}
	s := New(drv, Limits{Blocking: 4})
	defer s.Close()
	f := Borrow(int(file.Fd()), false, false)
	b := make([]byte, 8)
	for _, c := range []struct {
		call string
		do   func() (int, error)
		n    int
		err  error
	}{
		{"WriteHere(hello)", func() (int, error) { return s.WriteHere(f, []byte("hello")) }, 5, nil},
		{"Pwrite(hello, 3)", func() (int, error) { return s.Pwrite(f, []byte("hello"), 3) }, 5, nil},
		{"Pwrite(-1)", func() (int, error) { return s.Pwrite(f, []byte("x"), -1<<40) }, 0, syscall.EINVAL},
		{"ReadHere", func() (int, error) { return s.ReadHere(f, b) }, 3, nil},
		{"ReadHere at the end", func() (int, error) { return s.ReadHere(f, b) }, 0, nil},
		{"Pread(4)", func() (int, error) { return s.Pread(f, b, 4) }, 4, nil},
		{"Pread past the end", func() (int, error) { return s.Pread(f, b, 100) }, 0, nil},
		{"ReadHere of a bad descriptor", func() (int, error) { return s.ReadHere(Borrow(1<<20, false, false), b) }, 0, syscall.EBADF},
	} {
		if n, err := c.do(); n != c.n || err != c.err {
			t.Errorf("%s = %d, %v; want %d, %v", c.call, n, err, c.n, c.err)
		}
	}
}
