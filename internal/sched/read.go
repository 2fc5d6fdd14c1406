package sched

import (
	"context"
	"io"
	"math"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// current stands for the file's own position in the place of an offset.
const current = -1

// ReadAt reads len(b) bytes at off, which is not negative, and returns how
// many it has read: fewer only with an error, which is io.EOF at the end of
// the file, ctx's error, or a syscall.Errno. The caller uses f (File.Use).
func (s *Scheduler) ReadAt(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	n := 0
	for n < len(b) {
		res := s.read(ctx, f, b[n:], off+int64(n))
		if res == 0 {
			return n, io.EOF
		}
		if res < 0 {
			return n, failure(ctx, res)
		}
		n += int(res)
	}
	return n, nil
}

// Read reads up to len(b) bytes at the file's position and moves it, as
// read(2). At the end of the file it returns 0, io.EOF.
func (s *Scheduler) Read(f *File, b []byte) (int, error) {
	f.position.Lock()
	defer f.position.Unlock()
	if s.classed.Load() {
		return s.readInTurn(f, b)
	}
	if p, ok := s.admitRead(context.Background(), f, len(b)); ok {
		return readResult(0, s.plain(p, driver.Read, f, b, current))
	}
	n := 0
	for n < len(b) {
		if res := s.readCached(f, b[n:], current); res > 0 {
			n += int(res)
			continue
		}
		// A short count of the plain read(2) stands: files that are not on a
		// disk (/proc) give them, and a second call might wait for ever.
		return readResult(n, s.transfer(context.Background(), driver.Read, f, b[n:], current))
	}
	return n, nil
}

// readResult is what a Read returns that has had n bytes before its last
// transfer gave res.
func readResult(n int, res int32) (int, error) {
	switch {
	case res > 0:
		return n + int(res), nil
	case n > 0:
		return n, nil // the end of the file, or an error that will come again
	case res == 0:
		return 0, io.EOF
	}
	return 0, failure(context.Background(), res)
}

// read makes one transfer.
func (s *Scheduler) read(ctx context.Context, f *File, b []byte, off int64) int32 {
	if s.classed.Load() {
		res, _ := s.readPart(ctx, f, b, off)
		return res
	}
	if p, ok := s.admitRead(ctx, f, len(b)); ok {
		return s.plain(p, driver.Read, f, b, off)
	}
	if res := s.readCached(f, b, off); res > 0 {
		return res
	}
	return s.transfer(ctx, driver.Read, f, b, off)
}

// readPast makes one transfer that is not on path 1.
func (s *Scheduler) readPast(ctx context.Context, f *File, b []byte, off int64) int32 {
	if p, ok := s.admitRead(ctx, f, len(b)); ok {
		return s.plain(p, driver.Read, f, b, off)
	}
	return s.transfer(ctx, driver.Read, f, b, off)
}

// readCached is path 1. A result of 0 or less means that the transfer is to
// be made on another path. 0 may be the end of the file, but some kernels have
// given it for pages that were only being read; an error is the plain call's
// to repeat.
func (s *Scheduler) readCached(f *File, b []byte, off int64) int32 {
	if !f.nowait.Load() || f.cold.skip() {
		return eagain
	}
	asked := s.hook.Now()
	res := sys.ReadCached(f.fd, b, off)
	if res > 0 {
		f.cold.hit()
		s.stats.add(pathCached, driver.Read, res)
		if asked != 0 {
			s.recordCached(asked, f, len(b), off, res)
		}
		return res
	}
	f.notCached(res, len(b), off)
	s.hook.Call(asked, record.Call{Batch: 1, Res: res, Syscall: record.SysPreadv2})
	return res
}

// notCached notes what it tells of the file that a look for n bytes at off in the page
// cache gave res.
func (f *File) notCached(res int32, n int, off int64) {
	switch {
	case res == eagain:
		f.cold.miss()
	case res == eopnotsupp, res == enosys, res == einval && off <= math.MaxInt64-int64(n):
		// Of this file alone: others may be on other file systems. EINVAL is
		// also what an offset gets that is too large.
		f.nowait.Store(false)
		f.cold.miss() // for Borrowed.Misses
	}
}

// failure is the error of a negative result.
func failure(ctx context.Context, res int32) error {
	switch {
	case res == ecanceled && ctx.Err() != nil:
		return ctx.Err()
	case res == eclosed:
		return os.ErrClosed
	}
	return syscall.Errno(-res)
}
