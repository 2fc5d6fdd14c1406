package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
)

// A file's position can be shared with other descriptors and processes. So each Read and Write is
// one read(2) or write(2), or reserves its bytes first: docs/decisions/0027-positions.md.

// Read is read(2). At the end of the file it returns 0, io.EOF.
func (s *Scheduler) Read(f *File, b []byte) (int, error) {
	f.PositionMu.Lock()
	defer f.PositionMu.Unlock()
	n, err := resultOf(context.Background(), s.readCurrent(f, b, false))
	if n == 0 && err == nil {
		err = io.EOF
	}
	return n, err
}

// readCurrent is read(2) at the position. With looks it looks into the page cache before it asks
// how much is in flight, as ForeignFile.Misses does for its caller.
func (s *Scheduler) readCurrent(f *File, b []byte, looks bool) int32 {
	ctx := context.Background()
	small := len(b) < largeRead && f.Flags&driver.Direct == 0
	kind := readKind(f, len(b))
	if small && !looks { // it mostly finds its bytes in the page cache
		kind = governor.PositionReads
	}
	s.count(ctx, kind, f)
	if !looks && !s.paths.Classes.Active() {
		if p, ok := s.tryPlain(ctx, kind, driver.Read, f); ok {
			return s.paths.PlainCall(0, p, driver.Read, f, b, iopath.AtPosition)
		}
	}
	if s.mayReserve(f) {
		return s.readReserving(ctx, f, b[:min(len(b), sys.MaxRW)])
	}
	return s.readByCall(ctx, f, b)
}

// readByCall is one read(2), with a permit, and with a ticket if there are classes.
func (s *Scheduler) readByCall(ctx context.Context, f *File, b []byte) int32 {
	return s.transferWithTicket(ctx, driver.Read, f, b, iopath.AtPosition, func(f *File, b []byte) int32 {
		return s.paths.AcquireAndCall(ctx, s.paths.Recording.Now(), driver.Read, f, b, iopath.AtPosition)
	})
}

// mayReserve reports whether a Read at the position may go another way than by read(2).
func (s *Scheduler) mayReserve(f *File) bool {
	if f.Flags&driver.Direct != 0 {
		return s.paths.Async(driver.Read, f)
	}
	s.Ready()
	return f.CanLook.Load() && (s.paths.FindsEnd || s.paths.AsyncBuffered[driver.Read])
}

// readReserving is a Read that reserves its bytes, and then reads them at their offset.
func (s *Scheduler) readReserving(ctx context.Context, f *File, b []byte) (res int32) {
	direct := f.Flags&driver.Direct != 0
	looks := !direct && !s.paths.Classes.Active()
	r := s.reserve(f, b, looks)
	pos := r.end - int64(r.n)
	switch {
	case r.done:
		return r.found
	case !r.ok:
		return s.readByCall(ctx, f, b)
	case r.n == 0:
		return s.readAtEnd(ctx, f, b, pos)
	case !direct: // otherwise a part of a block cannot be asked for
		b = b[:r.n]
	}
	if looks {
		res = s.readAfterLook(ctx, f, b, pos, 0, r.found)
	} else {
		res = s.read(ctx, f, b, pos, 0, false)
	}
	res = min(s.readOn(ctx, f, b, pos, res), int32(r.n))
	giveBack(f, driver.Read, r.n, r.end, res)
	return res
}

// reservation is what reserve has found and reserved.
type reservation struct {
	found int32 // the first bytes, which the page cache had; or negative
	done  bool  // found is the result of the Read
	n     int   // the bytes that are reserved, with those that were found
	end   int64 // where they end in the file
	ok    bool  // they are reserved: false past the end of a device, and without a position
}

// reserve moves the position over all of b, as far as the file has it, and reads what the page
// cache has of it, if looks is set. It does not wait for a disk. The look itself moves a private
// position. The bytes that were found stay reserved, although the file may have become shorter
// since. docs/decisions/0027-positions.md has the reasons.
func (s *Scheduler) reserve(f *File, b []byte, looks bool) (r reservation) {
	f.PrivateMu.Lock()
	defer f.PrivateMu.Unlock()
	private := looks && f.Private
	r.found = eagain
	if private {
		r.found = s.paths.ReadCached(f, b, iopath.AtPosition)
	} else if r.end, r.ok = sys.Advance(f.FD, int64(len(b))); r.ok && looks {
		r.found = s.paths.ReadCached(f, b, r.end-int64(len(b)))
	}
	if r.done = r.found == 0 || int(r.found) == len(b); r.done {
		if !private {
			giveBack(f, driver.Read, len(b), r.end, r.found)
		}
		return r
	}
	found := int(max(r.found, 0))
	rest := len(b) - found
	if private {
		r.end, r.ok = sys.Advance(f.FD, int64(rest))
	}
	if r.ok {
		rest, r.end = giveBackBeyondEnd(f, rest, r.end)
	}
	r.n = found + rest
	r.done = found > 0 && (rest == 0 || !r.ok)
	return r
}

// readAtEnd is a Read at pos, the end of the file as fstat(2) has it. Nothing is reserved. But the
// file may have become longer since, and files of /proc have no size.
func (s *Scheduler) readAtEnd(ctx context.Context, f *File, b []byte, pos int64) int32 {
	res := s.readOn(ctx, f, b, pos, s.read(ctx, f, b, pos, 0, false))
	if res <= 0 {
		return res
	}
	end, ok := sys.Advance(f.FD, int64(res))
	if ok && end == pos+int64(res) {
		return res
	}
	// Another user of the position has moved it since, and may have read these bytes.
	if ok {
		sys.Advance(f.FD, -int64(res))
	}
	return s.readReserving(ctx, f, b)
}

// giveBackBeyondEnd moves the position back over what the file does not have of the n reserved
// bytes before end. It returns how many are left, and their end. All are if the size is not known.
func giveBackBeyondEnd(f *File, n int, end int64) (int, int64) {
	size, ok := sys.RegularSize(f.FD)
	if !ok || end <= size {
		return n, end
	}
	beyond := min(end-size, int64(n))
	sys.Advance(f.FD, -beyond)
	return n - int(beyond), end - beyond
}

// writeReserved moves the position over all of b by one lseek(2), and writes b at the old one.
func (s *Scheduler) writeReserved(ctx context.Context, f *File, b []byte) int32 {
	b = b[:min(len(b), sys.MaxRW)]
	end, ok := sys.Advance(f.FD, int64(len(b)))
	if !ok { // past the end of a device, or there is no position
		return s.paths.AcquireAndCall(ctx, s.paths.Recording.Now(), driver.Write, f, b, iopath.AtPosition)
	}
	res := s.waitOrQueue(ctx, driver.Write, f, b, end-int64(len(b)), 0)
	giveBack(f, driver.Write, len(b), end, res)
	return res
}

// giveBack moves the position back over the bytes that were reserved and not transferred, of the n
// bytes before end. The result of the transfer is res.
func giveBack(f *File, code driver.Code, n int, end int64, res int32) {
	left := int64(n) - int64(max(res, 0))
	if left == 0 {
		return
	}
	// A short read has met the end of the file. Several may do so at once, and each gives back its
	// part. A failed transfer gives its bytes back only if the position has not moved since:
	// otherwise the next Read would return the bytes of a later transfer once more, and the next
	// Write overwrite them.
	atEnd := code == driver.Read && res >= 0
	if now, ok := sys.Tell(f.FD); atEnd || ok && now == end {
		sys.Advance(f.FD, -left)
	}
}

// readOn goes on with a read of b at off, whose first transfer had the result res, until the end of
// the file. A read of a driver that cannot wait (driver.NoWait) may end earlier: btrfs makes
// unaligned reads through the page cache, and returns only the bytes that are there. An error after
// the first bytes is left to the next Read.
func (s *Scheduler) readOn(ctx context.Context, f *File, b []byte, off int64, res int32) int32 {
	n := res
	for res > 0 && int(n) < len(b) {
		res = s.read(ctx, f, b[n:], off+int64(n), 0, false)
		n += max(res, 0)
	}
	return n
}
