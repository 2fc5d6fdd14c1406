package sched

import (
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sys"
)

// Others may have the position of a file in common with it: descriptors that dup(2) has made,
// other processes. The kernel moves it under a lock, so that each read(2) and write(2) has bytes of
// its own. So has each Read and Write here: it is one read(2) or write(2), or reserves its bytes
// by one lseek(2), and transfers them at their offset. See reserved. A Read of a file whose position is private
// looks into the page cache before it does so. See readPrivate.

// Read reads up to len(b) bytes at the file's position and moves it, as
// read(2). At the end of the file it returns 0, io.EOF.
func (s *Scheduler) Read(f *File, b []byte) (int, error) {
	f.position.Lock()
	defer f.position.Unlock()
	res := s.readCurrent(f, b, false)
	switch {
	case res > 0:
		return int(res), nil
	case res == 0:
		return 0, io.EOF
	}
	return 0, errorOf(context.Background(), res)
}

// readCurrent is read(2) at the position. With looks it looks into the page cache before it asks how much
// is in flight, as ForeignFile.Misses does for its caller.
func (s *Scheduler) readCurrent(f *File, b []byte, looks bool) int32 {
	ctx := context.Background()
	classed := s.classes.Active()
	if !classed && !looks {
		if p, ok := s.permitPlainRead(ctx, f, len(b)); ok {
			return s.plainCall(p, driver.Read, f, b, atPosition)
		}
	}
	switch {
	case s.reserves(f) && !classed && f.flags&driver.Direct == 0:
		return s.readPrivate(ctx, f, b)
	case s.reserves(f):
		return s.reserved(ctx, driver.Read, f, b)
	case classed:
		return s.readCurrentByClass(ctx, f, b)
	}
	return s.blockingCall(ctx, s.hook.Now(), driver.Read, f, b, atPosition)
}

// reserves reports whether a Read at the position may go another way than by read(2).
func (s *Scheduler) reserves(f *File) bool {
	if f.flags&driver.Direct != 0 {
		return s.async(driver.Read, f)
	}
	return f.nowait.Load() && (s.knowsEnd || s.asyncBuffered[driver.Read])
}

// reserved transfers at the position. One lseek(2) moves the position by all of b before, so other
// operations at the position get other bytes. Another moves it back by what was not transferred.
//
// A short read has met the end of the file. Each operation there moves the position back by what it
// did not read. A short write has failed: the position stays if another write came after it.
func (s *Scheduler) reserved(ctx context.Context, code driver.Code, f *File, b []byte) (res int32) {
	b = b[:min(len(b), sys.MaxRW)]
	end, ok := sys.Advance(f.fd, int64(len(b)))
	if !ok { // past the end of a device, or there is no position
		return s.blockingCall(ctx, s.hook.Now(), code, f, b, atPosition)
	}
	pos := end - int64(len(b))
	if code == driver.Read {
		res = s.readReserved(ctx, f, b, pos)
	} else {
		res = s.waitOrQueue(ctx, code, f, b, pos)
	}
	f.giveBack(code, b, end, res)
	return res
}

// giveBack moves the position back over the bytes of b that were reserved and not transferred. The reserved bytes
// reach up to end. The result of the transfer is res.
func (f *File) giveBack(code driver.Code, b []byte, end int64, res int32) {
	left := int64(len(b)) - int64(max(res, 0))
	if left == 0 {
		return
	}
	if now, ok := sys.Tell(f.fd); code == driver.Read || ok && now == end {
		sys.Advance(f.fd, -left)
	}
}

// readReserved reads at off until the end of the file. What a driver does without waiting (driver.NoWait) may
// end earlier: btrfs reads through the page cache what is not aligned, and gives what is there.
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
	if s.classes.Active() {
		return s.read(ctx, f, b, off)
	}
	if res, done := s.readCachedOrEnd(f, b, off); done {
		return res
	}
	return s.readUncached(ctx, f, b, off)
}
