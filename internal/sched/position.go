package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
)

// A file's position can be shared: with descriptors that dup(2) has made, with other processes. The
// kernel moves it under a lock, so that no two read(2) or write(2) have the same bytes. The same
// holds for Read and Write here: each is one read(2) or write(2), or reserves its bytes by one
// lseek(2) and transfers them at their offset (readShared). A Read of a file whose position is
// private looks into the page cache before it does so (readPrivate).

// Read reads up to len(b) bytes at the file's position and moves it, as
// read(2). At the end of the file it returns 0, io.EOF.
func (s *Scheduler) Read(f *File, b []byte) (int, error) {
	f.PositionMu.Lock()
	defer f.PositionMu.Unlock()
	res := s.readCurrent(f, b, false)
	switch {
	case res > 0:
		return int(res), nil
	case res == 0:
		return 0, io.EOF
	}
	return 0, errorOf(context.Background(), res)
}

// readCurrent is read(2) at the position. With looks it looks into the page cache before it asks
// how much is in flight, as ForeignFile.Misses does for its caller.
func (s *Scheduler) readCurrent(f *File, b []byte, looks bool) int32 {
	ctx := context.Background()
	classed := s.paths.Classes.Active()
	kind := readKind(len(b))
	if !looks {
		kind = positionKind(f, len(b))
	}
	s.count(ctx, kind, f)
	if !classed && !looks {
		if p, ok := s.tryPlain(ctx, kind, driver.Read, f); ok {
			return s.paths.PlainCall(0, p, driver.Read, f, b, iopath.AtPosition)
		}
	}
	switch {
	case s.mayReserve(f) && !classed && f.Flags&driver.Direct == 0:
		return s.readPrivate(ctx, f, b)
	case s.mayReserve(f):
		return s.readShared(ctx, f, b)
	}
	return s.readByCall(ctx, f, b)
}

// readByCall is one read(2), with a permit, and with a ticket if there are classes.
func (s *Scheduler) readByCall(ctx context.Context, f *File, b []byte) int32 {
	if s.paths.Classes.Active() {
		return s.readCurrentWithTicket(ctx, f, b)
	}
	return s.paths.AcquireAndCall(ctx, s.paths.Recording.Now(), driver.Read, f, b, iopath.AtPosition)
}

// positionKind returns the kind of a Read of n bytes at the position. A small buffered one has not
// looked into the page cache, and mostly finds its bytes there.
func positionKind(f *File, n int) governor.Kind {
	if n < largeRead && f.Flags&driver.Direct == 0 {
		return governor.PositionReads
	}
	return readKind(n)
}

// mayReserve reports whether a Read at the position may go another way than by read(2).
func (s *Scheduler) mayReserve(f *File) bool {
	if f.Flags&driver.Direct != 0 {
		return s.paths.Async(driver.Read, f)
	}
	s.Ready()
	return f.CanLook.Load() && (s.paths.FindsEnd || s.paths.AsyncBuffered[driver.Read])
}

// readShared is a Read at a position that may be shared. It moves the position over all of b by one
// lseek(2), so that others at the position get other bytes, and then reads b at the old position.
// The part of b beyond the end of the file is given back before the read waits for the disk:
// another user of the position may write during the wait, and would leave a hole there.
func (s *Scheduler) readShared(ctx context.Context, f *File, b []byte) int32 {
	b = b[:min(len(b), sys.MaxRW)]
	end, ok := sys.Advance(f.FD, int64(len(b)))
	if !ok { // past the end of a device, or there is no position
		return s.readByCall(ctx, f, b)
	}
	pos, found, direct := end-int64(len(b)), int32(0), f.Flags&driver.Direct != 0
	looks := !direct && !s.paths.Classes.Active()
	var asked int64 // when the look began
	if looks {
		if found, asked = s.paths.ReadCached(f, b, pos); int(found) == len(b) {
			return found
		}
	}
	// The bytes that were found stay reserved, although the file may have become shorter since.
	least := int(max(found, 0))
	rest, end := giveBackBeyondEnd(f, len(b)-least, end)
	n := least + rest
	var res int32
	switch {
	case n == 0 && looks && found == 0 && s.paths.FindsEnd:
		s.noteEnd(asked, f, len(b), pos)
		return 0
	case n == 0:
		return s.readAtEnd(ctx, f, b, pos)
	case looks:
		// This matters if the look has found an end that the file no longer has.
		s.paths.RecordEndLook(asked, found)
		res = s.readRest(ctx, f, b[:n], pos, max(found, 0))
	case direct: // a part of a block cannot be asked for
		res = min(s.readReserved(ctx, f, b, pos), int32(n))
	default:
		res = s.readReserved(ctx, f, b[:n], pos)
	}
	giveBack(f, driver.Read, n, end, res)
	return res
}

// readAtEnd is a Read at pos, the end of the file as fstat(2) has it. Nothing is reserved: there is
// most likely nothing to read. But the file may have become longer since, and files of /proc have
// no size.
func (s *Scheduler) readAtEnd(ctx context.Context, f *File, b []byte, pos int64) int32 {
	res := s.readReserved(ctx, f, b, pos)
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
	return s.readShared(ctx, f, b)
}

// giveBackBeyondEnd moves the position back over what the file does not have of the n bytes before
// end, which were reserved. It returns how many are left, and their end. All are left if the file's
// size is not known.
func giveBackBeyondEnd(f *File, n int, end int64) (int, int64) {
	size, ok := sys.RegularSize(f.FD)
	if !ok || end <= size {
		return n, end
	}
	beyond := min(end-size, int64(n))
	sys.Advance(f.FD, -beyond)
	return n - int(beyond), end - beyond
}

// writeReserved moves the position over all of b by one lseek(2), and then writes b at the old
// position.
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

// readReserved reads at off until the end of the file. A read that a driver makes without waiting
// (driver.NoWait) may end earlier: btrfs makes unaligned reads through the page cache, and returns
// only the bytes that are there.
func (s *Scheduler) readReserved(ctx context.Context, f *File, b []byte, off int64) int32 {
	n := 0
	for n < len(b) {
		res := s.readLooking(ctx, f, b[n:], off+int64(n))
		if res <= 0 && n == 0 {
			return res
		}
		if res <= 0 {
			break // the end of the file, or an error that will come again
		}
		n += int(res)
	}
	return int32(n)
}

// readLooking makes one transfer of a read that looks into the page cache first.
func (s *Scheduler) readLooking(ctx context.Context, f *File, b []byte, off int64) int32 {
	if s.paths.Classes.Active() {
		return s.read(ctx, f, b, off, 0)
	}
	found, asked := s.paths.ReadCached(f, b, off)
	return s.readAfterLook(ctx, f, b, off, 0, found, asked)
}

// readPrivate is readShared for a buffered Read. If the position is private, it first looks into
// the page cache at the position. If all of b is there, that is one system call. The caller holds
// f.PositionMu.
func (s *Scheduler) readPrivate(ctx context.Context, f *File, b []byte) int32 {
	b = b[:min(len(b), sys.MaxRW)]
	l := s.lookAtPosition(f, b)
	switch {
	case !l.looked:
		return s.readShared(ctx, f, b)
	case l.done:
		return l.found
	case !l.advanced: // past the end of a device
		return after(l.found, s.paths.AcquireAndCall(ctx, s.paths.Recording.Now(), driver.Read, f, b[l.found:], iopath.AtPosition))
	}
	if l.rest == 0 {
		return s.readAtEnd(ctx, f, b, l.end)
	}
	b = b[:int(l.found)+l.rest]
	n := s.readRest(ctx, f, b, l.end-int64(len(b)), l.found)
	giveBack(f, driver.Read, len(b), l.end, n)
	return n
}

// positionLook is the result of lookAtPosition.
type positionLook struct {
	looked   bool  // false if the position may be shared. All else is zero then.
	done     bool  // found is the result of the Read
	found    int32 // the number of bytes found, not negative
	advanced bool  // the position was moved over the rest bytes after those found, to end
	rest     int
	end      int64
}

// lookAtPosition reads the bytes that the page cache has at the position, if the position is
// private, and moves the position over the rest of b, as far as the file has it. It holds PrivateMu
// for both, so that no reader elsewhere comes in between, and does not wait for a disk. The
// position is never left beyond the end of the file: it may become shared while the Read waits, and
// a write there would leave a hole.
func (s *Scheduler) lookAtPosition(f *File, b []byte) (l positionLook) {
	f.PrivateMu.Lock()
	defer f.PrivateMu.Unlock()
	if !f.Private {
		return l
	}
	l.looked = true
	res, asked := s.paths.ReadCached(f, b, iopath.AtPosition)
	l.found = max(res, 0)
	if l.done = int(res) == len(b); l.done {
		return l
	}
	if l.done = res == 0 && s.paths.FindsEnd; l.done {
		s.noteEnd(asked, f, len(b), iopath.AtPosition)
		return l
	}
	l.rest = len(b) - int(l.found)
	if l.end, l.advanced = sys.Advance(f.FD, int64(l.rest)); !l.advanced {
		return l
	}
	l.rest, l.end = giveBackBeyondEnd(f, l.rest, l.end)
	l.done = l.rest == 0 && l.found > 0
	return l
}

// readRest reads b, whose first found bytes the page cache had, at off.
func (s *Scheduler) readRest(ctx context.Context, f *File, b []byte, off int64, found int32) int32 {
	var n int32
	if found > 0 {
		n = s.readAtOnce(ctx, f, b, off, found)
	} else {
		n = s.readUncached(ctx, f, b, off, 0)
	}
	if n <= 0 || int(n) == len(b) {
		return n
	}
	return after(n, s.readReserved(ctx, f, b[n:], off+int64(n)))
}

// after returns the result of a read after n bytes were read and a transfer then gave res. An error
// after the first bytes is left to the next Read.
func after(n, res int32) int32 {
	if n == 0 {
		return res
	}
	return n + max(res, 0)
}
