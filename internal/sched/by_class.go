package sched

import (
	"cmp"
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
)

// How goroutines perform operations once there are classes. Without limits an operation
// does not wait if it needs no device: a read from the page cache, a write into it. The write
// is an operation of its class all the same, and keeps it active.

// readWithTicket makes one transfer of a read at an offset, of the bytes that a ticket grants.
func (s *Scheduler) readWithTicket(ctx context.Context, f *File, b []byte, off int64, reg uint32) (res int32) {
	c := s.ClassOf(ctx, f)
	f = s.paths.ViewForRecord(f, c)
	limited := c.Limited()
	if !limited {
		if res = s.paths.ReadCached(f, b, off); res >= 0 {
			return res
		}
	}
	t, res := s.paths.QueueOf(f).Take(ctx, c, f.Owner(), len(b), fair.Read)
	if t == nil {
		return res
	}
	b = b[:t.Granted()]
	if res = eagain; limited {
		res = s.paths.ReadCached(f, b, off)
	}
	if res < 0 {
		res = s.plainOrQueue(ctx, driver.Read, f, b, off, reg)
	}
	t.End(int64(res))
	return res
}

// readCurrentWithTicket is read(2) at the file's position, once all bytes are granted.
func (s *Scheduler) readCurrentWithTicket(ctx context.Context, f *File, b []byte) int32 {
	c := s.ClassOf(ctx, f)
	f = s.paths.ViewForRecord(f, c)
	t, res := s.paths.QueueOf(f).TakeAll(ctx, c, f.Owner(), len(b), fair.Read)
	if t == nil {
		return res
	}
	res = s.paths.AcquireAndCall(ctx, s.paths.Recording.Now(), driver.Read, f, b, iopath.AtPosition)
	t.End(int64(res))
	return res
}

// writeWithTicket makes one transfer of a write.
func (s *Scheduler) writeWithTicket(ctx context.Context, f *File, b []byte, off int64) int32 {
	c := s.ClassOf(ctx, f)
	use := useOf(driver.Write, f)
	f = s.paths.ViewForRecord(f, c)
	take := (*qos.Queue).Take
	if off == iopath.AtPosition { // it is one write(2), which is not split
		take = (*qos.Queue).TakeAll
	}
	t, res := take(s.paths.QueueOf(f), ctx, c, f.Owner(), len(b), use)
	if t == nil {
		return res
	}
	if off != iopath.AtPosition {
		b = b[:t.Granted()]
	}
	res = s.plainOrQueue(ctx, driver.Write, f, b, off, 0)
	t.End(int64(res))
	return res
}

// useOf returns the use that a transfer makes of f's device.
func useOf(code driver.Code, f *File) fair.Use {
	switch {
	case code != driver.Write:
		return fair.Read
	case f.WritesThroughCache(): // the kernel writes it to the device later
		return fair.OutsideCap
	}
	return fair.Write
}

// commitWithTicket is commit as an operation of its class, of no bytes and outside the cap. Each
// Sync is one operation, also if it shares its fsync. It waits for its ticket before it joins a
// group, so that no member waits for the limits of another's class. A Sync of a class without
// limits does not wait, but its class is active until the Sync ends.
func (s *Scheduler) commitWithTicket(ctx context.Context, code driver.Code, f *File) error {
	c := s.ClassOf(ctx, f)
	f = s.paths.ViewForRecord(f, c)
	t, res := s.paths.QueueOf(f).Take(ctx, c, f.Owner(), 0, fair.OutsideCap)
	if t == nil {
		return errorOf(ctx, res)
	}
	defer t.End(0)
	return s.commitNow(ctx, code, f)
}

// DefaultCap is the cap for a device that was not measured.
var DefaultCap = qos.DefaultCap

// Classes returns the Scheduler's classes. Once there are any, operations take tickets.
func (s *Scheduler) Classes() *qos.Classes { return &s.paths.Classes }

// ClassOf returns the class of an operation on f: the file's, if f is a view with a class, else the
// context's. It is the default class if there is neither, or if that class was removed.
func (s *Scheduler) ClassOf(ctx context.Context, f *File) *Class {
	return s.paths.Classes.Or(cmp.Or(f.Class(), s.paths.Classes.In(ctx)))
}
