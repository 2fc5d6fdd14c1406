package groupcommit

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

const (
	// MuchWritten is how many bytes in the page cache keep the disk busy for long
	// enough that a Sync which waits for its group starts their write-back.
	MuchWritten = driver.Large
	// Small writes near each other, as in a log, had better wait for the fsync, which writes them
	// in one request. Measured: docs/results/syncs.md. The distance is the largest request of most
	// disks.
	near = 1 << 20 // 1 MiB
)

// Written counts the n bytes of a buffered write at off, if Syncs have been concurrent. A negative
// off is the position, or the end of the file. Small writes near the one before do not count.
func (s *Syncer) Written(off int64, n int) {
	if n <= 0 || !s.Concurrent.Load() {
		return
	}
	if n < MuchWritten {
		apart := off - s.written.Swap(off)
		if off < 0 || -near < apart && apart < near {
			return
		}
	}
	s.unsynced.Add(int64(n))
}

// Unsynced returns the number of counted bytes.
func (s *Syncer) Unsynced() int64 { return s.unsynced.Load() }

// TakeUnsynced reports whether the caller is to start the write-back of the counted bytes now. It
// reports that once for the same bytes, and they no longer count.
func (s *Syncer) TakeUnsynced() bool { return s.unsynced.Swap(0) >= MuchWritten }

// Writeback makes call, which starts a write-back, and returns its result. If the file system could
// not start it, it may have given up the pages. An fsync would have reported that, but now it finds
// nothing to write. So the fsync that runs fails, or else the next one.
func (s *Syncer) Writeback(call func() int32) int32 {
	s.mu.Lock()
	number, turn := s.writebacks.begin(), s.turn
	s.mu.Unlock()
	res := call()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch err := syscall.Errno(-res); err {
	case syscall.EIO, syscall.ENOSPC, syscall.EDQUOT: // a sandbox may return others
		s.noteError(err)
		s.unreported[turn] = err
	}
	s.writebacks.end(number)
	return res
}

// lockAfterWritebacks locks mu once the write-backs that run have been started. It returns err, the
// result of an fsync that has ended, or else the error of a write-back beside it (Writeback). One
// that begins now has given up no pages of the Syncs that the fsync serves.
func (s *Syncer) lockAfterWritebacks(err error) error {
	s.mu.Lock()
	unreported := &s.unreported[s.turn]
	s.turn = 1 - s.turn // the error of a write-back that begins now is the next fsync's
	for last := s.writebacks.last; s.writebacks.runs(last); {
		s.writebacks.await(context.Background(), &s.mu)
	}
	if *unreported != nil && !LostData(err) {
		err = *unreported
	}
	*unreported = nil
	return err
}
