package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

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
	if s.Classes.Active() {
		return s.readQueuedByClass(ctx, f, b, off)
	}
	if p, ok := s.permitPlainRead(ctx, f, len(b)); ok {
		return s.PlainCall(p, driver.Read, f, b, off)
	}
	if res := s.ReadCached(f, b, off); res > 0 {
		return s.readAtOnce(ctx, f, b, off, res)
	}
	return s.waitOrQueue(ctx, driver.Read, f, b, off)
}

// readUncached makes one transfer, as a plain call or through the queue. It does not look into
// the page cache.
func (s *Scheduler) readUncached(ctx context.Context, f *File, b []byte, off int64) int32 {
	if p, ok := s.permitPlainRead(ctx, f, len(b)); ok {
		return s.PlainCall(p, driver.Read, f, b, off)
	}
	return s.waitOrQueue(ctx, driver.Read, f, b, off)
}

// readAtOnce goes on with a read of which ReadCached has found n bytes. One pread(2) takes all
// of its bytes at once, and on xfs no write comes in between. So where the rest would be a
// plain call, that call reads everything again. Where the rest would be queued, the n bytes
// stay as they are: io_uring itself reads in parts what it has to wait for. A read of more
// than MaxCached bytes is made in parts.
func (s *Scheduler) readAtOnce(ctx context.Context, f *File, b []byte, off int64, n int32) int32 {
	b = b[:min(len(b), sys.MaxCached)]
	if int(n) == len(b) || s.Async(driver.Read, f) || s.EndsAt(f, b[n:], off+int64(n)) {
		return n
	}
	return s.BlockingCall(ctx, s.Recording.Now(), driver.Read, f, b, off)
}

// ReadOnce makes one transfer of ReadAt, which may be short. It is for a caller that must know
// where the kernel stopped. 0 bytes without an error is the end of the file.
func (s *Scheduler) ReadOnce(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	res := s.read(ctx, f, b, off)
	if res < 0 {
		return 0, errorOf(ctx, res)
	}
	return int(res), nil
}
