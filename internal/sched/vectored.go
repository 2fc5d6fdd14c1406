package sched

import (
	"context"
	"io"
	"math"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
)

// transferAll transfers all of v, in as many transfers as it takes, to or from the file's bytes
// at off. Move makes one transfer, at the offset that it is given. If move transfers no bytes,
// the error is end.
func transferAll(ctx context.Context, v *Vec, off int64, end error, move func(at int64) int32) (n int, err error) {
	if off > math.MaxInt64-int64(v.Size()) {
		return 0, syscall.EINVAL // as from preadv(2), also where each buffer is a request
	}
	for len(v.First) > 0 {
		res := move(off + int64(n))
		if res == 0 {
			return n, end
		}
		if res < 0 {
			return n, errorOf(ctx, res)
		}
		n += int(res)
		v.Advance(int(res))
	}
	return n, nil
}

// ReadVec is ReadAt into several buffers. Reads from the page cache and plain calls fill as
// many buffers as one system call takes (preadv2, preadv). Reads that are queued are one
// request for each buffer.
func (s *Scheduler) ReadVec(ctx context.Context, f *File, v Vec, off int64) (n int, err error) {
	if len(v.Rest) == 0 {
		s.count(ctx, readKind(len(v.First)), f)
	}
	return transferAll(ctx, &v, off, io.EOF, func(at int64) int32 { return s.readVec(ctx, f, &v, at) })
}

// readVec makes one transfer. Once there are classes it is a transfer of the first buffer
// alone.
func (s *Scheduler) readVec(ctx context.Context, f *File, v *Vec, off int64) int32 {
	if len(v.Rest) == 0 || s.paths.Classes.Active() {
		return s.read(ctx, f, v.First, off, 0)
	}
	if res := s.paths.ReadCachedVec(f, v, off); res > 0 {
		return res
	}
	if s.paths.Async(driver.Read, f) {
		return s.waitOrQueue(ctx, driver.Read, f, v.First, off, 0)
	}
	return s.paths.AcquireAndCallVec(ctx, driver.Read, f, v, off)
}

// WriteVec is WriteAt from several buffers. A plain call writes as many buffers as it takes
// (pwritev). Writes that are queued are one request for each buffer.
func (s *Scheduler) WriteVec(ctx context.Context, f *File, v Vec, off int64) (n int, err error) {
	return transferAll(ctx, &v, off, io.ErrUnexpectedEOF, func(at int64) int32 { return s.writeVec(ctx, f, &v, at) })
}

// writeVec makes one transfer. It is of the first buffer alone once there are classes, and
// where the driver performs writes without a thread.
func (s *Scheduler) writeVec(ctx context.Context, f *File, v *Vec, off int64) int32 {
	if len(v.Rest) == 0 || s.paths.Classes.Active() || s.paths.Async(driver.Write, f) {
		return s.write(ctx, f, v.First, off)
	}
	mark := f.LostWrites.Mark()
	return f.LostWrites.Confirm(ctx, mark, s.paths.AcquireAndCallVec(ctx, driver.Write, f, v, off))
}
