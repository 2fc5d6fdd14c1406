package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
)

// KnowsEnd reports whether a look that finds 0 bytes has found the end; see sys.CachedKnowsEnd.
func (s *Scheduler) KnowsEnd() bool { return s.paths.FindsEnd }

// Pread is pread(2). It may read fewer than len(b) bytes, and reads 0 at the end of the file.
// The error of Pread and of the calls below is a syscall.Errno, or os.ErrClosed: with classes, the
// file was closed while the call waited.
//
// Pread looks into the page cache first, however little is in flight. To find the bytes there costs
// less than a permit and a system call that the Go scheduler knows of. A look that misses costs a
// large read up to 8 %: one that finds a part is followed by another look, and by a read of all
// bytes. So after one miss of a large read the next 15 and more do not look.
func (s *Scheduler) Pread(f *File, b []byte, off int64) (int, error) {
	ctx := context.Background()
	large := len(b) >= largeRead
	if s.paths.Classes.Active() || large && f.LargeMisses.SkipLook() {
		return s.ReadOnce(ctx, f, b, off)
	}
	found := s.paths.ReadCached(f, b, off)
	if large {
		f.LargeMisses.Note(int(found) == min(len(b), sys.MaxCached))
	}
	if int(found) != len(b) {
		s.count(ctx, readKind(f, len(b)), f)
	}
	return resultOf(ctx, s.readAfterLook(ctx, f, b, off, 0, found))
}

// Pwrite is pwrite(2).
func (s *Scheduler) Pwrite(f *File, b []byte, off int64) (int, error) {
	return resultOf(context.Background(), s.write(context.Background(), f, b, off))
}

// WriteCurrent is write(2), at the position of the descriptor.
func (s *Scheduler) WriteCurrent(f *File, b []byte) (int, error) {
	if f.Flags&driver.Direct != 0 { // see writeReserved, whatever CanQueue says now
		f.PositionMu.Lock()
		defer f.PositionMu.Unlock()
	}
	return resultOf(context.Background(), s.write(context.Background(), f, b, iopath.AtPosition))
}

// ReadCurrent is read(2), at the position of the descriptor.
func (s *Scheduler) ReadCurrent(f *File, b []byte) (int, error) {
	if f.Flags&driver.Direct != 0 { // see readReserving
		f.PositionMu.Lock()
		defer f.PositionMu.Unlock()
	}
	return resultOf(context.Background(), s.readCurrent(f, b, f.Flags&driver.Direct == 0 && len(b) < largeRead))
}
