package sched

import (
	"context"
	"sync/atomic"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// Borrowed is the File of a descriptor that stays somebody else's, who keeps it
// open during each operation, and to whom each means what the system call does.
// It needs no Close, and no Use. All of it is one piece of memory: programs
// open many files for one read.
//
// It has no second descriptor: to close one would give up the process's locks
// on the file (fcntl(2)). And it does not remember that an fsync has failed: a
// program that makes room on a full disk and calls fsync again gets what the
// kernel says then.
type Borrowed struct {
	File
	own openFile
}

// Set makes b the File of fd. Called before all else.
func (b *Borrowed) Set(fd int, direct, appends bool) {
	b.openFile = &b.own
	b.own.set(fd, direct, appends)
	b.own.syncer.twin.fd = -1
	b.own.syncer.forgets = true
}

// Misses counts the reads, in a row, for which there was nothing in the page cache. While
// it is 0 who uses b may look there by himself (preadv2(2), RWF_NOWAIT), and has to ask
// for what he does not find. It is nil with O_DIRECT, and 0 never again once the
// file system has said that it cannot tell whether a read would wait.
func (b *Borrowed) Misses() *atomic.Uint32 {
	if b.flags&driver.Direct != 0 {
		return nil
	}
	return &b.cold.misses
}

// Crowded is true while writes to the page cache are to be Pwrite or WriteHere, as Syncs of b
// come together: how much was written since tells when to begin with the next one.
func (b *Borrowed) Crowded() *atomic.Bool { return &b.syncer.crowded }

// KnowsEnd tells whether a look into the page cache that finds 0 bytes has found the end
// of the file. See sys.CachedKnowsEnd.
func (s *Scheduler) KnowsEnd() bool { return s.knowsEnd }

// Pread is pread(2): it may read less than len(b) bytes, and 0 of them at the
// end of the file. The error is a syscall.Errno.
//
// It looks into the page cache first, however little is in flight: to find
// something there costs less than a place at the gate and a call of which the
// Go scheduler is told, and a look in vain little beside what then follows.
func (s *Scheduler) Pread(f *File, b []byte, off int64) (int, error) {
	res, done := s.readFound(f, b, off)
	if !done {
		res = s.readPast(context.Background(), f, b, off)
	}
	return outcome(0, res)
}

// readFound reads from the page cache, or finds the end of the file there. If it
// is not done, the read is to be made on another path.
func (s *Scheduler) readFound(f *File, b []byte, off int64) (res int32, done bool) {
	res = s.readCached(f, b, off)
	if res != 0 || !s.knowsEnd {
		return res, res > 0
	}
	s.stats.add(pathCached, driver.Read, 0)
	if now := s.hook.Now(); now != 0 {
		s.recordCached(now, f, len(b), off, 0)
	}
	return 0, true
}

// Pwrite is pwrite(2). The error is a syscall.Errno.
func (s *Scheduler) Pwrite(f *File, b []byte, off int64) (int, error) {
	return outcome(0, s.write(context.Background(), f, b, off))
}

// WriteHere is write(2), at the position of the descriptor. The error is a
// syscall.Errno.
func (s *Scheduler) WriteHere(f *File, b []byte) (int, error) {
	if s.async(driver.Write, f) { // see queued
		f.position.Lock()
		defer f.position.Unlock()
	}
	return outcome(0, s.write(context.Background(), f, b, current))
}

// ReadHere is read(2), at the position of the descriptor, which others may
// have in common with it (dup(2), another process): so it is the kernel that
// moves it, in a call that reads. The error is a syscall.Errno.
func (s *Scheduler) ReadHere(f *File, b []byte) (int, error) {
	if f.flags&driver.Direct != 0 {
		return s.readHereDirect(f, b)
	}
	if len(b) >= largeRead {
		if p, ok := s.admitRead(context.Background(), f, len(b)); ok {
			return outcome(0, s.plain(p, driver.Read, f, b, current))
		}
	}
	n := 0
	for n < len(b) {
		res, done := s.readFound(f, b[n:], current)
		if !done {
			if p, ok := s.admitRead(context.Background(), f, len(b)-n); ok {
				return outcome(n, s.plain(p, driver.Read, f, b[n:], current))
			}
			res = s.readFetched(f, b[n:])
		}
		switch {
		case res > 0:
			n += int(res)
		case done:
			return n, nil // the end of the file
		default:
			asked := s.hook.Now()
			return outcome(n, s.blocking(context.Background(), asked, driver.Read, f, b[n:], current))
		}
	}
	return n, nil
}

// readFetched reads at the position what is not in the page cache. The driver
// brings it there first, which was a transfer, and what follows copies its bytes
// once more, which costs a tenth of it. A result of 0 or less means that the read
// is to be a plain call: at the end of the file, after an error, or if a page has
// left the cache.
func (s *Scheduler) readFetched(f *File, b []byte) int32 {
	if !s.async(driver.Read, f) {
		return eagain
	}
	pos, ok := sys.Tell(f.fd)
	if !ok {
		return eagain
	}
	n := s.transfer(context.Background(), driver.Read, f, b, pos)
	if n <= 0 {
		return n
	}
	return sys.ReadCached(f.fd, b[:n], current)
}

// readHereDirect reads past the page cache: only who uses f is kept from the
// position meanwhile.
//
// What a driver was to read without waiting (driver.NoWait) may end early where
// read(2) would not: file systems that read through the page cache what is not
// aligned, as btrfs does, give what is there. A plain call reads the rest.
func (s *Scheduler) readHereDirect(f *File, b []byte) (int, error) {
	f.position.Lock()
	defer f.position.Unlock()
	res := s.read(context.Background(), f, b, current)
	if n := int(res); 0 < n && n < len(b) {
		return outcome(n, s.blocking(context.Background(), s.hook.Now(), driver.Read, f, b[n:], current))
	}
	return outcome(0, res)
}

// outcome is what a system call returns that has done n bytes before a
// transfer gave res.
func outcome(n int, res int32) (int, error) {
	switch {
	case res >= 0:
		return n + int(res), nil
	case n > 0:
		return n, nil // the error will come again
	}
	return 0, syscall.Errno(-res)
}
