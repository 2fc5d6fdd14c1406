package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
)

// WriteAt writes b at off, which is not negative, and returns how many bytes
// it has written: fewer only with an error, which is ctx's, a syscall.Errno,
// or io.ErrUnexpectedEOF should the kernel write nothing and say nothing. The
// caller uses f (File.Use).
func (s *Scheduler) WriteAt(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	return s.writeAll(ctx, f, b, off)
}

// Write writes b at the file's position and moves it, as write(2) repeated
// until all is written.
func (s *Scheduler) Write(f *File, b []byte) (int, error) {
	f.position.Lock()
	defer f.position.Unlock()
	return s.writeAll(context.Background(), f, b, current)
}

func (s *Scheduler) writeAll(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	n := 0
	for {
		at := off
		if off != current {
			at += int64(n)
		}
		res := s.write(ctx, f, b[n:], at)
		if res > 0 {
			n += int(res)
		}
		switch {
		case n == len(b):
			return n, nil
		case res == 0:
			return n, io.ErrUnexpectedEOF
		case res < 0:
			return n, failure(ctx, res)
		}
	}
}

// write makes one transfer.
func (s *Scheduler) write(ctx context.Context, f *File, b []byte, off int64) int32 {
	if s.classed.Load() {
		return s.writePart(ctx, f, b, off)
	}
	return s.writeNow(ctx, f, b, off)
}

// writeNow is write of what has its turn, or needs none.
func (s *Scheduler) writeNow(ctx context.Context, f *File, b []byte, off int64) int32 {
	if p, ok := s.admitWrite(ctx, f); ok {
		return s.plain(p, driver.Write, f, b, off)
	}
	return s.transfer(ctx, driver.Write, f, b, off)
}

// admitWrite takes a place at the gate for a write to f that is to be a plain call at
// once, unless it can be asked to end early.
func (s *Scheduler) admitWrite(ctx context.Context, f *File) (pass, bool) {
	if ctx.Done() != nil {
		return nil, false
	}
	return s.takePlain(f, s.plainWrites(f))
}

// plainWrites is how many threads may wait for one more to wait in a write to
// f that is a plain call at once.
func (s *Scheduler) plainWrites(f *File) int32 {
	if s.async(driver.Write, f) {
		return int32(s.limits.InlineWrites)
	}
	return s.gate.most()
}
