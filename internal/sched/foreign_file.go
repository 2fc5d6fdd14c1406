package sched

import (
	"context"
	"sync/atomic"
	"syscall"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
)

// ForeignFile is the File of a descriptor that belongs to somebody else, such as an os.File.
// The owner of the descriptor keeps it open during each operation, and each operation means
// what the system call does. A ForeignFile needs no Close and no Use. It is a single piece of
// memory, because programs open many files for one read each.
//
// It has no second descriptor: closing that would give up the process's locks on the file
// (fcntl(2)). And it does not remember that an fsync has failed: a program that makes room on
// a full disk and calls fsync again gets what the kernel says then.
type ForeignFile struct {
	File
	own openFile
}

// Set makes b the File of fd. It must be called before all other methods.
func (b *ForeignFile) Set(fd int, direct, appends bool) {
	b.openFile = &b.own
	b.own.set(fd, direct, appends)
	b.own.syncer.NoSecondFD()
	b.own.syncer.ForgetErrors()
}

// Misses returns the number of reads in a row that found nothing in the page cache. While it
// is 0, the caller may look there itself (preadv2(2) with RWF_NOWAIT), and must ask the
// scheduler for what it does not find. Once the file system has said that it cannot tell
// whether a read would wait, it is never 0 again. Misses returns nil for a file that was
// opened with O_DIRECT.
func (b *ForeignFile) Misses() *atomic.Uint32 {
	if b.flags&driver.Direct != 0 {
		return nil
	}
	return &b.cacheMisses.misses
}

// SyncsConcurrently returns a flag that is true while Syncs of b overlap. While it is true,
// the caller must make its buffered writes through Pwrite or WriteCurrent: these count the
// bytes, and the count decides when write-back for the next fsync is started early.
func (b *ForeignFile) SyncsConcurrently() *atomic.Bool { return b.syncer.Concurrent() }

// KnowsEnd reports whether a look into the page cache that finds 0 bytes has found the end of
// the file. See sys.CachedKnowsEnd.
func (s *Scheduler) KnowsEnd() bool { return s.knowsEnd }

// Pread is pread(2). It may read fewer than len(b) bytes, and reads 0 at the end of the file.
// The error is a syscall.Errno.
//
// Pread looks into the page cache first, however little is in flight. To find the bytes there
// costs less than a permit and a system call that the Go scheduler is told of. A
// look in vain costs little beside what follows it.
func (s *Scheduler) Pread(f *File, b []byte, off int64) (int, error) {
	return resultOf(s.readLooking(context.Background(), f, b, off))
}

// readCachedOrEnd reads through the page cache. Done reports that it has read something, or
// found the end of the file. If it is false, the caller must make the read on another path.
func (s *Scheduler) readCachedOrEnd(f *File, b []byte, off int64) (res int32, done bool) {
	res = s.readCached(f, b, off)
	if res > 0 {
		return s.readAtOnce(context.Background(), f, b, off, res), true
	}
	if res != 0 || !s.knowsEnd {
		return res, false
	}
	s.noteEnd(f, len(b), off)
	return 0, true
}

// noteEnd counts and records a read of n bytes at off that has found the end of the file in the page cache.
func (s *Scheduler) noteEnd(f *File, n int, off int64) {
	s.stats.Add(counters.Cached, driver.Read, 0)
	if now := s.hook.Now(); now != 0 {
		s.recordCached(now, f, n, off, 0)
	}
}

// Pwrite is pwrite(2). The error is a syscall.Errno.
func (s *Scheduler) Pwrite(f *File, b []byte, off int64) (int, error) {
	return resultOf(s.write(context.Background(), f, b, off))
}

// WriteCurrent is write(2), at the position of the descriptor. The error is a syscall.Errno.
func (s *Scheduler) WriteCurrent(f *File, b []byte) (int, error) {
	if s.async(driver.Write, f) { // see reserved
		f.position.Lock()
		defer f.position.Unlock()
	}
	return resultOf(s.write(context.Background(), f, b, atPosition))
}

// ReadCurrent is read(2), at the position of the descriptor. The error is a syscall.Errno.
func (s *Scheduler) ReadCurrent(f *File, b []byte) (int, error) {
	if f.flags&driver.Direct != 0 { // see reserved
		f.position.Lock()
		defer f.position.Unlock()
	}
	return resultOf(s.readCurrent(f, b, f.flags&driver.Direct == 0 && len(b) < largeRead))
}

// resultOf returns a result as a count and an error, as a system call does.
func resultOf(res int32) (int, error) {
	if res >= 0 {
		return int(res), nil
	}
	return 0, syscall.Errno(-res)
}
