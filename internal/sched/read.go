package sched

import (
	"context"
	"io"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
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
	ctx := context.Background()
	switch res := s.read(ctx, f, b, current); {
	case res == 0:
		return 0, io.EOF
	case res < 0:
		return 0, failure(ctx, res)
	default:
		return int(res), nil
	}
}

// read makes one transfer.
func (s *Scheduler) read(ctx context.Context, f *File, b []byte, off int64) int32 {
	if f.nowait.Load() {
		res := sys.ReadCached(f.fd, b, off)
		switch {
		case res > 0:
			s.stats.add(pathCached, driver.Read, res)
			return res
		case res == eopnotsupp, res == enosys, res == einval:
			// Of this file alone: others may be on other file systems.
			f.nowait.Store(false)
		}
		// 0 too is asked again: some kernels have given it for pages that
		// were only being read. An error is the plain call's to repeat.
	}
	return s.transfer(ctx, driver.Read, f, b, off)
}

// failure is the error of a negative result.
func failure(ctx context.Context, res int32) error {
	if res == ecanceled && ctx.Err() != nil {
		return ctx.Err()
	}
	return syscall.Errno(-res)
}
