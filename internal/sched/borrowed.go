package sched

import (
	"context"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// Borrow returns the File of a descriptor that stays somebody else's, who
// keeps it open during each operation, and to whom each means what the system
// call does. It needs no Close, and no Use.
//
// It has no second descriptor: to close one would give up the process's locks
// on the file (fcntl(2)). And it does not remember that an fsync has failed: a
// program that makes room on a full disk and calls fsync again gets what the
// kernel says then.
func Borrow(fd int, direct, appends bool) *File {
	f := NewFile(fd, direct, appends)
	f.syncer.twin.fd = -1
	f.syncer.forgets = true
	return f
}

// Pread is pread(2): it may read less than len(b) bytes, and 0 of them at the
// end of the file. The error is a syscall.Errno.
//
// It looks into the page cache first, however little is in flight: to find
// something there costs less than a place at the gate and a call of which the
// Go scheduler is told, and a look in vain little beside what then follows.
func (s *Scheduler) Pread(f *File, b []byte, off int64) (int, error) {
	res := s.readCached(f, b, off)
	switch {
	case res > 0:
	case s.admitRead(f, len(b)):
		res = s.plain(driver.Read, f, b, off)
	default:
		res = s.transfer(context.Background(), driver.Read, f, b, off)
	}
	return outcome(0, res)
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
	if s.admitRead(f, len(b)) {
		return outcome(0, s.plain(driver.Read, f, b, current))
	}
	n := 0
	for n < len(b) {
		if res := s.readFetched(f, b[n:]); res > 0 {
			n += int(res)
			continue
		}
		// The end of the file, or an error, or a page that has left the cache.
		asked := s.hook.Now()
		return outcome(n, s.blocking(context.Background(), asked, driver.Read, f, b[n:], current))
	}
	return n, nil
}

// readFetched reads at the position from the page cache. What is not there is
// read through the driver first. That was a transfer, and what follows copies
// its bytes once more, which costs a tenth of it. A result of 0 or less means
// that the read is to be a plain call.
func (s *Scheduler) readFetched(f *File, b []byte) int32 {
	if res := s.readCached(f, b, current); res > 0 {
		return res
	}
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
func (s *Scheduler) readHereDirect(f *File, b []byte) (int, error) {
	f.position.Lock()
	defer f.position.Unlock()
	return outcome(0, s.read(context.Background(), f, b, current))
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
