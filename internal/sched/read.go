package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/sys"
)

// ReadAt reads len(b) bytes at off, which is not negative, and returns how many it has read. It
// reads fewer than len(b) only with an error: io.EOF at the end of the file, ctx's error, or a
// syscall.Errno. The caller must use f (File.Use) during the call.
//
// A read of less than largeRead bytes looks into the page cache first, however little is in
// flight. The look cannot wait, so it needs no permit.
func (s *Scheduler) ReadAt(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	if len(b) >= largeRead || s.paths.Classes.Active() {
		return s.ReadAtReg(ctx, f, b, off, 0)
	}
	found := s.paths.ReadCached(f, b, off)
	if int(found) == len(b) {
		return len(b), nil
	}
	s.count(ctx, governor.Reads, f)
	// What follows a miss is plainOrQueue's, here so that two functions less are above the system
	// call: see PlainCall.
	var res int32
	if found >= 0 {
		res = s.readAfterLook(ctx, f, b, off, 0, found)
	} else if p, ok := s.tryPlain(ctx, governor.Reads, driver.Read, f); ok {
		if res = s.paths.PlainCall(0, p, driver.Read, f, b, off); int(res) == len(b) {
			return len(b), nil
		}
	} else {
		res = s.waitOrQueue(ctx, driver.Read, f, b, off, 0)
	}
	return s.readAll(ctx, f, b, off, 0, res)
}

// ReadAtReg is ReadAt into memory with the number reg of Register. Here and below, reg is 0 for
// other memory.
func (s *Scheduler) ReadAtReg(ctx context.Context, f *File, b []byte, off int64, reg uint32) (int, error) {
	return s.readAll(ctx, f, b, off, reg, s.read(ctx, f, b, off, reg, true))
}

// readAll goes on with a ReadAt whose first transfer had the result res.
func (s *Scheduler) readAll(ctx context.Context, f *File, b []byte, off int64, reg uint32, res int32) (int, error) {
	return transferAll(ctx, driver.Read, b, off, res, func(b []byte, off int64) int32 {
		return s.read(ctx, f, b, off, reg, false)
	})
}

// transferAll goes on with a transfer of b to or from off, whose first part had the result res:
// again transfers what is left, until a part has no bytes.
func transferAll(ctx context.Context, code driver.Code, b []byte, off int64, res int32, again func([]byte, int64) int32) (n int, err error) {
	for {
		n += int(max(res, 0))
		if n == len(b) {
			return n, nil
		}
		if res <= 0 {
			return n, shortOf(ctx, code, res)
		}
		res = again(b[n:], off+int64(n))
	}
}

// shortOf returns the error of a transfer that ends early, with the result res.
func shortOf(ctx context.Context, code driver.Code, res int32) error {
	switch {
	case res < 0:
		return errorOf(ctx, res)
	case code == driver.Read:
		return io.EOF
	}
	return io.ErrUnexpectedEOF
}

// read makes one transfer at an offset. The result may be short. First says that it is the first
// one of its read, which is counted if the page cache does not have all of it.
func (s *Scheduler) read(ctx context.Context, f *File, b []byte, off int64, reg uint32, first bool) int32 {
	kind := readKind(f, len(b))
	if s.paths.Classes.Active() {
		return s.transferWithTicket(ctx, driver.Read, f, b, off, func(f *File, b []byte) int32 {
			if first {
				s.count(ctx, kind, f)
			}
			return s.plainOrQueue(ctx, driver.Read, f, b, off, reg)
		})
	}
	if len(b) < largeRead {
		found := s.paths.ReadCached(f, b, off)
		if first && int(found) < len(b) {
			s.count(ctx, kind, f)
		}
		return s.readAfterLook(ctx, f, b, off, reg, found)
	}
	if first {
		s.count(ctx, kind, f)
	}
	if p, ok := s.tryPlain(ctx, kind, driver.Read, f); ok {
		return s.paths.PlainCall(0, p, driver.Read, f, b, off)
	}
	if found := s.paths.ReadCached(f, b, off); found >= 0 {
		return found
	}
	return s.waitOrQueue(ctx, driver.Read, f, b, off, reg)
}

// readAfterLook makes one transfer of a read for which ReadCached has returned found.
func (s *Scheduler) readAfterLook(ctx context.Context, f *File, b []byte, off int64, reg uint32, found int32) int32 {
	switch {
	case found > 0:
		return s.readAtOnce(ctx, f, b, off, found)
	case found == 0:
		return 0
	}
	return s.plainOrQueue(ctx, driver.Read, f, b, off, reg)
}

// readAtOnce goes on with a read after ReadCached has found its first n bytes. If the rest would be
// a plain call, that call reads everything again (docs/decisions/0027-positions.md). If the rest
// would be queued, or the file is known to end after the n bytes, they stay as they are.
func (s *Scheduler) readAtOnce(ctx context.Context, f *File, b []byte, off int64, n int32) int32 {
	b = b[:min(len(b), sys.MaxCached)]
	async := s.paths.Async(driver.Read, f)
	if int(n) == len(b) || async && !s.paths.FindsEnd {
		return n
	}
	p, plain := s.tryPlain(ctx, readKind(f, len(b)), driver.Read, f)
	switch {
	case async && !plain:
		return n
	case s.paths.FindsEnd && s.paths.Peek(f, b[n:], off+int64(n)) == 0:
		if plain {
			p.Release()
		}
		return n
	case plain:
		return s.paths.PlainCall(0, p, driver.Read, f, b, off)
	}
	res := s.paths.AcquireAndCall(ctx, s.paths.Recording.Now(), driver.Read, f, b, off)
	// ctx has ended, and no call was made: the next transfer returns the error of ctx.
	if res == ecanceled {
		return n
	}
	return res
}

// ReadOnce makes one transfer of ReadAt, which may be short. It is for a caller that must know
// where the kernel stopped. 0 bytes without an error is the end of the file.
func (s *Scheduler) ReadOnce(ctx context.Context, f *File, b []byte, off int64) (int, error) {
	return resultOf(ctx, s.read(ctx, f, b, off, 0, true))
}
