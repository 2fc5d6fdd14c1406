package sched

import "github.com/sluiceio/sluice/internal/driver"

// writeback starts the write-back of a file's dirty pages and does not wait
// for it. It is the scheduler's own: no driver knows it.
const writeback = driver.NumCodes

const (
	// bulkyWrite is the size from which a buffered write gives the disk enough
	// to do that a Sync which waits for its turn starts the transfer meanwhile.
	bulkyWrite = 32 << 10 // 32 KiB
	// hugeWrite is the size from which two Syncs are better made by two fsyncs
	// at a time than by one for both.
	hugeWrite = 256 << 10 // 256 KiB
)

// wrote notes a buffered write of n bytes.
func (f *File) wrote(n int) {
	if n >= bulkyWrite && f.flags&driver.Direct == 0 && f.bulk.Load() < int32(n) {
		f.bulk.Store(int32(n))
	}
}

// startWriteback starts the transfer of what large writes have left in the
// page cache, so that the disk need not wait until the running fsync of f has
// ended and the next one starts. It is only a help: the fsync finds out
// whether the pages were written. sync_file_range(2) without its waiting flags
// does not take a write-back error away from that fsync.
func (s *Scheduler) startWriteback(f *File) {
	if f.bulk.Load() >= bulkyWrite && f.bulk.Swap(0) >= bulkyWrite && s.gate.take() {
		s.call(writeback, f.fd, nil, 0)
		s.gate.leave()
	}
}
