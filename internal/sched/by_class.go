package sched

import (
	"context"

	"github.com/sluiceio/sluice/internal/driver"
)

// How goroutines perform operations once there are classes. Without limits an operation
// does not wait if it needs no device: a read from the page cache, a write into it.

// readQueuedByClass makes one transfer of a read at an offset, of no more bytes than one
// ticket grants.
func (s *Scheduler) readQueuedByClass(ctx context.Context, f *File, b []byte, off int64) (res int32) {
	c := s.classOf(ctx, f)
	f = s.viewForRecord(f, c)
	limited := c.Limited()
	if !limited {
		if res := s.readCached(f, b, off); res > 0 {
			return res
		}
	}
	t, res := s.queueOf(f).Take(ctx, c, f.owner(), len(b), false)
	if t == nil {
		return res
	}
	b = b[:t.Granted()]
	res = 0
	if limited {
		res = s.readCached(f, b, off)
	}
	if res <= 0 {
		res = s.readUncached(ctx, f, b, off)
	}
	t.End(int64(res))
	return res
}

// readCurrentByClass is read(2) at the file's position, once all bytes are granted.
func (s *Scheduler) readCurrentByClass(ctx context.Context, f *File, b []byte) int32 {
	c := s.classOf(ctx, f)
	f = s.viewForRecord(f, c)
	t, res := s.queueOf(f).TakeAll(ctx, c, f.owner(), len(b), false)
	if t == nil {
		return res
	}
	res = s.blockingCall(ctx, s.hook.Now(), driver.Read, f, b, atPosition)
	t.End(int64(res))
	return res
}

// writesThroughCache reports whether a write to f goes into the page cache, or appends
// and so waits for the inode. Either takes a thread that waits in the kernel, and the
// kernel writes cached pages to the device when it likes.
func (f *File) writesThroughCache() bool { return f.flags&driver.Direct == 0 || f.appends }

// writeQueuedByClass makes one transfer of a write.
func (s *Scheduler) writeQueuedByClass(ctx context.Context, f *File, b []byte, off int64) int32 {
	c, beside := s.classOf(ctx, f), f.writesThroughCache()
	f = s.viewForRecord(f, c)
	if beside && !c.Limited() {
		return s.writeNow(ctx, f, b, off)
	}
	q := s.queueOf(f)
	take := q.Take
	if off == atPosition { // not split: it is one write(2)
		take = q.TakeAll
	}
	t, res := take(ctx, c, f.owner(), len(b), beside)
	if t == nil {
		return res
	}
	if off != atPosition {
		b = b[:t.Granted()]
	}
	res = s.writeNow(ctx, f, b, off)
	t.End(int64(res))
	return res
}

// rawQueuedByClass is rawPlain for the first buffer.
func (s *Scheduler) rawQueuedByClass(ctx context.Context, code driver.Code, o RawFile, b []byte, off int64) int32 {
	c, beside := s.classes.Or(s.classes.In(ctx)), code == driver.Write
	o.class, o.askedAt = c, s.hook.Now()
	if beside && !c.Limited() {
		return s.rawNow(ctx, code, o, &Vec{first: b}, off)
	}
	t, res := s.classes.Queue(s.engineAt(s.deviceOfFD(o.FD)).Number()).Take(ctx, c, nil, len(b), beside)
	if t == nil {
		return res
	}
	res = s.rawNow(ctx, code, o, &Vec{first: b[:t.Granted()]}, off)
	t.End(int64(res))
	return res
}

// fixedByClass is ReadFixed or WriteFixed, as code says.
func (s *Scheduler) fixedByClass(ctx context.Context, code driver.Code, f *File, b []byte, off int64, reg uint32) (n int, err error) {
	now := s.readFixedNow
	if code == driver.Write {
		now = s.writeFixedNow
	}
	c := s.classOf(ctx, f)
	for n < len(b) && err == nil {
		f := s.viewForRecord(f, c)
		t, res := s.queueOf(f).Take(ctx, c, f.owner(), len(b)-n, false)
		if t == nil {
			return n, errorOf(ctx, res)
		}
		var m int
		m, err = now(ctx, f, b[n:n+t.Granted()], off+int64(n), reg)
		t.End(int64(m))
		n += m
	}
	return n, err
}

// commitByClass is commit as an operation of its class, of no bytes and outside the cap.
// Each Sync is one operation, also if it shares its fsync. It waits for its ticket before
// it joins a group, so that no member waits for the limits of another's class. A Sync of
// a class without limits does not wait, but its class is active meanwhile.
func (s *Scheduler) commitByClass(ctx context.Context, code driver.Code, f *File) error {
	c := s.classOf(ctx, f)
	f = s.viewForRecord(f, c)
	q := s.queueOf(f)
	if !c.Limited() {
		defer q.Admit(c, f.owner()).End(0)
		return s.commitNow(ctx, code, f)
	}
	t, res := q.Take(ctx, c, f.owner(), 0, true)
	if t == nil {
		return errorOf(ctx, res)
	}
	defer t.End(0)
	return s.commitNow(ctx, code, f)
}
