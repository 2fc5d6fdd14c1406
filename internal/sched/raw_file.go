package sched

import (
	"cmp"
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// RawFile is a descriptor that the caller alone uses, and its name for records.
type RawFile struct {
	FD   int
	Name string
	// For records of operations that are queued by class: the operation's class, and when it
	// was asked for.
	class   *Class
	askedAt int64
}

// ReadRaw is ReadVec for a RawFile. Bytes that the page cache does not have are read by plain
// calls.
func (s *Scheduler) ReadRaw(ctx context.Context, o RawFile, v Vec, off int64) (n int, err error) {
	return v.all(ctx, off, io.EOF, func(at int64) int32 {
		if res := s.rawCached(ctx, o, &v, at); res > 0 {
			return res
		}
		return s.rawPlain(ctx, driver.Read, o, &v, at)
	})
}

// WriteRaw is WriteVec for a RawFile. It makes plain calls.
func (s *Scheduler) WriteRaw(ctx context.Context, o RawFile, v Vec, off int64) (n int, err error) {
	return v.all(ctx, off, io.ErrUnexpectedEOF, func(at int64) int32 {
		return s.rawPlain(ctx, driver.Write, o, &v, at)
	})
}

// rawCached reads what the page cache has. If the operation's class has limits, it does not
// look: the limits come first.
func (s *Scheduler) rawCached(ctx context.Context, o RawFile, v *Vec, off int64) int32 {
	if s.classes.Active() {
		if o.class = s.classes.Or(s.classes.In(ctx)); o.class.Limited() {
			return eagain
		}
	}
	asked := s.hook.Now()
	res := sys.ReadCachedVec(o.FD, v.first, v.rest, off)
	if res > 0 {
		s.stats.Add(counters.Cached, driver.Read, res)
		if asked != 0 {
			s.recordRaw(o, &record.Op{Queued: asked, Off: off, Size: v.size(), Res: res, Kind: record.KindRead, Path: record.PathCached})
		}
	}
	return res
}

// rawPlain makes a plain call. Once there are classes it may first wait for a ticket.
func (s *Scheduler) rawPlain(ctx context.Context, code driver.Code, o RawFile, v *Vec, off int64) int32 {
	if s.classes.Active() {
		return s.rawQueuedByClass(ctx, code, o, v.first, off)
	}
	return s.rawNow(ctx, code, o, v, off)
}

// rawNow is rawPlain of an operation whose ticket has been granted, or that needs none.
func (s *Scheduler) rawNow(ctx context.Context, code driver.Code, o RawFile, v *Vec, off int64) int32 {
	asked := s.hook.Now()
	p, err := s.acquireNamePermit(ctx)
	if err != nil {
		return ecanceled
	}
	submitted := s.hook.Now()
	res := s.callAgain(code, o.FD, v, off)
	s.nameLimiter.Release(p)
	s.stats.Add(counters.Blocking, code, res)
	if asked != 0 {
		s.recordRaw(o, &record.Op{
			Queued: cmp.Or(o.askedAt, asked), Submitted: submitted, Off: off, Size: v.size(), Res: res,
			Kind: uint8(code), Path: record.PathBlocking,
		})
	}
	return res
}

// recordRaw records an operation that has just ended.
func (s *Scheduler) recordRaw(o RawFile, op *record.Op) {
	op.Completed = record.Now()
	s.hook.Op(op, new(record.FileRef), o.Name, s.classes.Or(o.class).Ref())
}
