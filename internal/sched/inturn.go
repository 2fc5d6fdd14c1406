package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
)

// What goroutines do once there are classes. A class without limits does not wait
// for what needs no device: reads of the page cache, and writes that it takes.

// readPart makes one transfer of a read, of no more than is granted at once, and
// tells whether it has ended otherwise than short.
func (s *Scheduler) readPart(ctx context.Context, f *File, b []byte, off int64) (res int32, whole bool) {
	c := s.classOf(ctx, f)
	f = s.inTurn(f, c)
	limited := c.limited.Load()
	if !limited {
		if res := s.readCached(f, b, off); res > 0 {
			return res, true
		}
	}
	u, res := s.engineOf(f).turns.take(ctx, c, f, len(b), false)
	if u == nil {
		return res, false
	}
	b = b[:u.Granted()]
	res = 0
	if limited {
		res = s.readCached(f, b, off)
	}
	if res <= 0 {
		res = s.readPast(ctx, f, b, off)
	}
	u.at.end(u, int64(res))
	return res, int(res) == len(b)
}

// readInTurn is Read.
func (s *Scheduler) readInTurn(f *File, b []byte) (n int, err error) {
	for n < len(b) {
		res, whole := s.readPart(context.Background(), f, b[n:], current)
		if !whole {
			return readResult(n, res)
		}
		n += int(res)
	}
	return n, nil
}

// takesCache tells whether the page cache, or the inode, takes a write to f: the
// kernel waits for them with a thread, and writes to the device when it likes.
func (f *File) takesCache() bool { return f.flags&driver.Direct == 0 || f.appends }

// writePart makes one transfer of a write.
func (s *Scheduler) writePart(ctx context.Context, f *File, b []byte, off int64) int32 {
	c, beside := s.classOf(ctx, f), f.takesCache()
	f = s.inTurn(f, c)
	if beside && !c.limited.Load() {
		return s.writeNow(ctx, f, b, off)
	}
	u, res := s.engineOf(f).turns.take(ctx, c, f, len(b), beside)
	if u == nil {
		return res
	}
	res = s.writeNow(ctx, f, b[:u.Granted()], off)
	u.at.end(u, int64(res))
	return res
}

// ownPart is plainOwn, of the first buffer.
func (s *Scheduler) ownPart(ctx context.Context, code driver.Code, o Own, b []byte, off int64) int32 {
	c, beside := s.classOr(s.ClassIn(ctx)), code == driver.Write
	o.class, o.askedAt = c, s.hook.Now()
	if beside && !c.limited.Load() {
		return s.ownNow(ctx, code, o, &Vec{first: b}, off)
	}
	u, res := s.engineAt(s.deviceOfFD(o.FD)).turns.take(ctx, c, nil, len(b), beside)
	if u == nil {
		return res
	}
	res = s.ownNow(ctx, code, o, &Vec{first: b[:u.Granted()]}, off)
	u.at.end(u, int64(res))
	return res
}

// fixedInTurn is ReadFixed or WriteFixed.
func (s *Scheduler) fixedInTurn(ctx context.Context, code driver.Code, f *File, b []byte, off int64, reg uint32) (n int, err error) {
	now := s.readFixedNow
	if code == driver.Write {
		now = s.writeFixedNow
	}
	c := s.classOf(ctx, f)
	for n < len(b) && err == nil {
		f := s.inTurn(f, c)
		u, res := s.engineOf(f).turns.take(ctx, c, f, len(b)-n, false)
		if u == nil {
			return n, failure(ctx, res)
		}
		var m int
		m, err = now(ctx, f, b[n:n+u.Granted()], off+int64(n), reg)
		u.at.end(u, int64(m))
		n += m
	}
	return n, err
}

// syncInTurn is Sync or Datasync, as now makes them: one operation of its class,
// without bytes and beside the cap, be it that it shares its fsync. It has its turn
// before it joins those who share one, so that none of them waits for another's
// limits. A class without limits does not wait, but is active meanwhile.
func (s *Scheduler) syncInTurn(ctx context.Context, f *File, now func(context.Context, *File) error) error {
	c := s.classOf(ctx, f)
	f = s.inTurn(f, c)
	k := s.engineOf(f).turns
	if !c.limited.Load() {
		defer k.end(k.admit(c, f), 0)
		return now(ctx, f)
	}
	u, res := k.take(ctx, c, f, 0, true)
	if u == nil {
		return failure(ctx, res)
	}
	defer k.end(u, 0)
	return now(ctx, f)
}
