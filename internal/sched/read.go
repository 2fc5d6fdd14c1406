package sched

import (
	"context"
	"io"
	"math"
	"os"
	"syscall"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// atPosition, as an offset, stands for the file's own position.
const atPosition = -1

// ReadAt reads len(b) bytes at off, which is not negative, and returns how many it has read.
// They are fewer than len(b) only with an error: io.EOF at the end of the file, ctx's error,
// or a syscall.Errno. The caller must use f (File.Use) during the call.
func (s *Scheduler) ReadAt(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	n := 0
	for n < len(b) {
		res := s.read(ctx, f, b[n:], off+int64(n))
		if res == 0 {
			return n, io.EOF
		}
		if res < 0 {
			return n, errorOf(ctx, res)
		}
		n += int(res)
	}
	return n, nil
}

// read makes one transfer at an offset. The result may be short.
func (s *Scheduler) read(ctx context.Context, f *File, b []byte, off int64) int32 {
	if s.classes.Active() {
		return s.readQueuedByClass(ctx, f, b, off)
	}
	if p, ok := s.permitPlainRead(ctx, f, len(b)); ok {
		return s.plainCall(p, driver.Read, f, b, off)
	}
	if res := s.readCached(f, b, off); res > 0 {
		return s.readAtOnce(ctx, f, b, off, res)
	}
	return s.waitOrQueue(ctx, driver.Read, f, b, off)
}

// readUncached makes one transfer, as a plain call or through the queue. It does not look into
// the page cache.
func (s *Scheduler) readUncached(ctx context.Context, f *File, b []byte, off int64) int32 {
	if p, ok := s.permitPlainRead(ctx, f, len(b)); ok {
		return s.plainCall(p, driver.Read, f, b, off)
	}
	return s.waitOrQueue(ctx, driver.Read, f, b, off)
}

// readCached is the cached path: it copies what the page cache has. A result of 0 or less
// means that the caller must make the transfer on another path. 0 may be the end of the file,
// but some kernels have returned it for pages that were just being read. An error is left to
// the plain call, which meets it again.
func (s *Scheduler) readCached(f *File, b []byte, off int64) int32 {
	asked := s.hook.Now()
	res := s.look(f, b, off)
	if res > 0 {
		s.stats.Add(counters.Cached, driver.Read, res)
		if asked != 0 {
			s.recordCached(asked, f, len(b), off, res)
		}
	}
	return res
}

// readAtOnce goes on with a read of which readCached has found n bytes. One pread(2) takes all
// of its bytes at once, and on xfs no write comes in between. So where the rest would be a
// plain call, that call reads everything again. Where the rest would be queued, the n bytes
// stay as they are: io_uring itself reads in parts what it has to wait for. A read of more
// than MaxCached bytes is made in parts.
func (s *Scheduler) readAtOnce(ctx context.Context, f *File, b []byte, off int64, n int32) int32 {
	b = b[:min(len(b), sys.MaxCached)]
	if int(n) == len(b) || s.async(driver.Read, f) || s.endsAt(f, b[n:], off+int64(n)) {
		return n
	}
	return s.blockingCall(ctx, s.hook.Now(), driver.Read, f, b, off)
}

// endsAt reports whether the file is known to end at off. It uses b as scratch space.
func (s *Scheduler) endsAt(f *File, b []byte, off int64) bool {
	return s.knowsEnd && s.look(f, b, off) == 0
}

// look reads into b what the page cache has at off. That may be less than len(b) bytes, and is
// 0 bytes at the end of the file. A negative result is an error: -EAGAIN means that nothing is
// there, or that look did not try.
func (s *Scheduler) look(f *File, b []byte, off int64) int32 {
	if !f.nowait.Load() || f.cacheMisses.skipLook() {
		return eagain
	}
	asked := s.hook.Now()
	res := sys.ReadCached(f.fd, b, off)
	if res > 0 {
		f.cacheMisses.hit()
		return res
	}
	f.notCached(res, len(b), off)
	s.hook.Call(asked, record.Call{Batch: 1, Res: res, Syscall: record.SysPreadv2})
	return res
}

// notCached notes what the result res of a look into the page cache says about the file. The
// look was for n bytes at off.
func (f *File) notCached(res int32, n int, off int64) {
	switch {
	case res == eagain:
		f.cacheMisses.miss()
	case res == eopnotsupp, res == enosys, res == einval && off >= 0 && off <= math.MaxInt64-int64(n):
		// This holds for this file alone: others may be on other file systems. EINVAL may also
		// be the error for an offset that is too large, as the position may be, and that says nothing about the file.
		f.nowait.Store(false)
		f.cacheMisses.miss() // for ForeignFile.Misses, which is never 0 again
	}
}

// errorOf returns the error for a negative result.
func errorOf(ctx context.Context, res int32) error {
	switch {
	case res == ecanceled && ctx.Err() != nil:
		return ctx.Err()
	case res == eclosed:
		return os.ErrClosed
	}
	return syscall.Errno(-res)
}
