package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/iopath"
)

// WriteAt writes b at off, which is not negative, and returns how many bytes it has written. It
// writes fewer than len(b) only with an error: ctx's error, a syscall.Errno, or io.ErrUnexpectedEOF
// if the kernel wrote nothing and reported no error. The caller must use f (File.Use) during the
// call.
func (s *Scheduler) WriteAt(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	// The write is of a class, or to a file with O_SYNC.
	if s.paths.Classes.Active() || f.LostWrites != nil {
		return s.writeAll(ctx, f, b, off, s.write(ctx, f, b, off))
	}
	// The first transfer is plainOrQueue's, here so that two functions less are above the system
	// call of a write into memory: see PlainCall.
	var res int32
	if p, ok := s.tryPlain(ctx, governor.Writes, driver.Write, f); ok {
		res = s.paths.PlainCall(0, p, driver.Write, f, b, off)
		if int(res) == len(b) {
			return len(b), nil
		}
	} else {
		res = s.waitOrQueue(ctx, driver.Write, f, b, off, 0)
	}
	return s.writeAll(ctx, f, b, off, res)
}

// Write writes b at the file's position and moves it. It is write(2), until all of b is written.
func (s *Scheduler) Write(f *File, b []byte) (int, error) {
	f.PositionMu.Lock()
	defer f.PositionMu.Unlock()
	ctx := context.Background()
	return s.writeAll(ctx, f, b, iopath.AtPosition, s.write(ctx, f, b, iopath.AtPosition))
}

// writeAll goes on with a write whose first transfer had the result res.
func (s *Scheduler) writeAll(ctx context.Context, f *File, b []byte, off int64, res int32) (int, error) {
	return transferAll(ctx, driver.Write, b, off, res, func(b []byte, at int64) int32 {
		if off == iopath.AtPosition {
			at = off
		}
		return s.write(ctx, f, b, at)
	})
}

// write makes one transfer. The result may be short.
func (s *Scheduler) write(ctx context.Context, f *File, b []byte, off int64) (res int32) {
	mark := f.LostWrites.Mark()
	if s.paths.Classes.Active() {
		res = s.transferWithTicket(ctx, driver.Write, f, b, off, func(f *File, b []byte) int32 {
			return s.plainOrQueue(ctx, driver.Write, f, b, off, 0)
		})
	} else {
		res = s.plainOrQueue(ctx, driver.Write, f, b, off, 0)
	}
	return f.LostWrites.Confirm(ctx, mark, res)
}
