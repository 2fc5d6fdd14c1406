package sched

import (
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
)

// TestSyncRange: the call gets the range. An error that may have cost pages is every later
// Sync's too; one that only says that there is no such call is not returned.
func TestSyncRange(t *testing.T) {
	for _, c := range []struct {
		res       int32
		want, all error // of SyncRange, and of the call after it
	}{
		{0, nil, nil},
		{-int32(syscall.ENOSYS), nil, nil},
		{-int32(syscall.EPERM), syscall.EPERM, nil},
		{-int32(syscall.EIO), syscall.EIO, syscall.EIO},
		{-int32(syscall.ENOSPC), syscall.ENOSPC, syscall.ENOSPC},
	} {
		s, f := newOn(script.New(8), queueAll), iopath.NewFile(1<<20, false, false)
		calls := 0
		s.startRange = func(fd int, off, n int64) int32 {
			if calls++; fd != f.FD || off != 4096 || n != 100 {
				t.Errorf("the call is for %d bytes at %d of descriptor %d; want 100 at 4096 of %d", n, off, fd, f.FD)
			}
			return c.res
		}
		if err := s.SyncRange(f, 4096, 100); err != c.want {
			t.Errorf("SyncRange = %v; want %v", err, c.want)
		}
		if err := f.Syncer.Failed(); err != c.all {
			t.Errorf("after %v Syncs return %v; want %v", c.want, err, c.all)
		}
		if err := s.SyncRange(f, 4096, 100); err != c.want || c.all != nil && calls != 1 {
			t.Errorf("the next SyncRange = %v, after %d calls; want %v", err, calls, c.want)
		}
		s.Close()
	}
}
