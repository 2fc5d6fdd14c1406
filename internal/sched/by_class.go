package sched

import (
	"cmp"
	"context"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
)

// How operations are performed once there are classes: first goroutines', then Transfers. An
// operation of a class without limits does not wait if it needs no device: a read from the page
// cache, a write into it. The write is an operation of its class all the same, and keeps it active.

// transferWithTicket makes one transfer, of the bytes that a ticket grants, or of all of b if there
// are no classes. At the file's position it waits until all of b is granted, because it is one
// system call. A read at an offset looks into the page cache. If the bytes are not there, and for
// all other transfers, it calls do.
func (s *Scheduler) transferWithTicket(ctx context.Context, code driver.Code, f *File, b []byte, off int64, do func(f *File, b []byte) int32) int32 {
	c := s.ClassOf(ctx, f)
	looks, limited := code == driver.Read && off != iopath.AtPosition, c.Limited()
	f = s.paths.ViewForRecord(f, c)
	if looks && !limited {
		if res := s.paths.ReadCached(f, b, off); res >= 0 {
			return res
		}
	}
	if !s.paths.Classes.Active() {
		return do(f, b)
	}
	use := useOf(code, f)
	q, left := s.paths.QueueOf(f), len(b)
	t, res := q.Take(ctx, c, f.Owner(), left, use)
	for off == iopath.AtPosition && t != nil && t.Granted() < left {
		left -= t.Granted()
		t.End(0)
		t, res = q.Take(ctx, c, f.Owner(), left, use)
	}
	if t == nil {
		return res
	}
	if off != iopath.AtPosition {
		b = b[:t.Granted()]
	}
	res = eagain
	if looks && limited {
		res = s.paths.ReadCached(f, b, off)
	}
	if res < 0 {
		res = do(f, b)
	}
	t.End(int64(res))
	return res
}

func useOf(code driver.Code, f *File) fair.Use {
	switch {
	case code != driver.Write:
		return fair.Read
	case !f.Direct() || f.Appends:
		// The write holds a thread in the kernel: it goes into the page cache, which the kernel
		// writes to the device when it likes, or it appends and so waits for the inode.
		return fair.OutsideCap
	}
	return fair.Write
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

// Transfers. No goroutine waits with their tickets: a Transfer is a qos.Waiter.

// startWithTicket has t wait for its ticket, or ends it if the page cache has all of it. It returns
// false if t need not wait: the caller begins it.
func (s *Scheduler) startWithTicket(t *Transfer) bool {
	c := t.class()
	switch {
	case len(t.buf) == 0:
		return false
	case !c.Limited() && t.cached():
		t.end()
		return true
	}
	if t.asked != 0 {
		t.f = t.f.View(c) // for the record
	}
	if t.reg != 0 && !t.extends && s.paths.CanQueue(t.code, t.f) {
		s.paths.Engines.RegIn(t.engine(), t.reg) // now: Granted must not wait for a ring
	}
	t.ticket = s.paths.QueueOf(t.f).NewTicket(t, t.f.Owner(), useOf(t.code, t.f))
	return !t.requestTicket()
}

func (t *Transfer) class() *Class {
	return t.s.paths.Classes.Or(cmp.Or(t.f.Class(), t.Class))
}

// requestTicket requests the ticket for the bytes that are left. If it returns true, the caller
// begins with them.
func (t *Transfer) requestTicket() bool {
	t.grantedEnd = t.n
	if !t.ticket.Request(t.class(), len(t.buf)-t.n) {
		return false
	}
	t.hasTicket, t.grantedEnd = true, len(t.buf)
	return true
}

func (t *Transfer) endTicket() {
	t.hasTicket = false
	t.ticket.End(int64(t.n - (t.grantedEnd - t.ticket.Granted())))
}

// Granted begins the part of t that was granted.
func (t *Transfer) Granted() {
	s := t.s
	t.hasTicket = true
	t.grantedEnd = t.n + t.ticket.Granted()
	if t.extends || !s.paths.CanQueue(t.code, t.f) {
		t.giveToHelper()
		return
	}
	t.counter().Add(1)
	// Asked for before pushGranted: after it t may have ended, and be its owner's again. This
	// goroutine may use no file, as one that configures the class. So that nobody closes the driver
	// under it, it uses t's.
	e, f := t.engine(), t.f
	f.UseMore()
	defer f.Done()
	if t.pushGranted(e) {
		e.EnsureSubmitted()
		return
	}
	t.counter().Add(-1)
	t.Rejected(ecanceled)
}

// Rejected ends t, which waited for its ticket or for a helper, with res.
func (t *Transfer) Rejected(res int32) {
	t.res = res
	t.end()
}
