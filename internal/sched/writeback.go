package sched

import (
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// writeback starts the write-back of a file's dirty pages and does not wait
// for it. It is the scheduler's own: no driver knows it.
const writeback = driver.NumCodes

const (
	// muchWritten is how many bytes in the page cache give the disk enough to
	// do that a Sync which waits for its turn starts their transfer meanwhile.
	muchWritten = 16 << 10 // 16 KiB
	// hugeWritten is from where two Syncs are better made by two fsyncs at a
	// time than by one for both.
	hugeWritten = 256 << 10 // 256 KiB
)

// wrote notes a buffered write of n bytes, where Syncs have been concurrent.
func (f *File) wrote(n int) {
	if n > 0 && f.syncer.crowded.Load() && f.flags&driver.Direct == 0 {
		f.unsynced.Add(int64(n))
	}
}

// startWriteback starts the transfer of what is written and in no fsync yet,
// so that the disk need not wait until the running fsync of f has ended and
// the next one starts. It is only a help: the fsync finds out whether the
// pages were written. sync_file_range(2) without its waiting flags does not
// take a write-back error away from that fsync.
func (s *Scheduler) startWriteback(f *File) {
	if f.unsynced.Load() >= muchWritten && f.unsynced.Swap(0) >= muchWritten && s.gate.take() {
		start := s.hook.Now()
		res := s.call(writeback, f.fd, nil, 0)
		s.hook.Call(start, record.Call{Batch: 1, Res: res, Syscall: record.SysSyncFileRange})
		s.gate.leave(nil)
	}
}
