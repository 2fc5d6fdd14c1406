package sched

import (
	"cmp"
	"context"
	"io"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// Own is a descriptor that the caller alone has, and knows by a name.
type Own struct {
	FD   int
	Name string
	// For the record, of what takes turns: whose it is, and when it was asked
	// for.
	class   *Class
	askedAt int64
}

// ReadOwn is ReadVec on a descriptor that the caller alone has. What the page
// cache has not is read by plain calls.
func (s *Scheduler) ReadOwn(ctx context.Context, o Own, v Vec, off int64) (n int, err error) {
	return v.all(ctx, off, io.EOF, func(at int64) int32 {
		if res := s.ownCached(ctx, o, &v, at); res > 0 {
			return res
		}
		return s.plainOwn(ctx, driver.Read, o, &v, at)
	})
}

// WriteOwn is WriteVec on a descriptor that the caller alone has.
func (s *Scheduler) WriteOwn(ctx context.Context, o Own, v Vec, off int64) (n int, err error) {
	return v.all(ctx, off, io.ErrUnexpectedEOF, func(at int64) int32 {
		return s.plainOwn(ctx, driver.Write, o, &v, at)
	})
}

// ownCached reads what the page cache has, unless a class's limits are to be asked
// first.
func (s *Scheduler) ownCached(ctx context.Context, o Own, v *Vec, off int64) int32 {
	if s.classed.Load() {
		if o.class = s.classOr(s.ClassIn(ctx)); o.class.limited.Load() {
			return eagain
		}
	}
	asked := s.hook.Now()
	res := sys.ReadCachedVec(o.FD, v.first, v.rest, off)
	if res > 0 {
		s.stats.add(pathCached, driver.Read, res)
		if asked != 0 {
			s.recordOwn(o, &record.Op{Queued: asked, Off: off, Size: v.size(), Res: res, Kind: record.KindRead, Path: record.PathCached})
		}
	}
	return res
}

// plainOwn makes a plain call.
func (s *Scheduler) plainOwn(ctx context.Context, code driver.Code, o Own, v *Vec, off int64) int32 {
	if s.classed.Load() {
		return s.ownPart(ctx, code, o, v.first, off)
	}
	return s.ownNow(ctx, code, o, v, off)
}

// ownNow is plainOwn of what has its turn, or needs none.
func (s *Scheduler) ownNow(ctx context.Context, code driver.Code, o Own, v *Vec, off int64) int32 {
	asked := s.hook.Now()
	p, err := s.enterNames(ctx)
	if err != nil {
		return ecanceled
	}
	submitted := s.hook.Now()
	res := s.callAgain(code, o.FD, v, off)
	s.names.leave(p)
	s.stats.add(pathBlocking, code, res)
	if asked != 0 {
		s.recordOwn(o, &record.Op{
			Queued: cmp.Or(o.askedAt, asked), Submitted: submitted, Off: off, Size: v.size(), Res: res,
			Kind: uint8(code), Path: record.PathBlocking,
		})
	}
	return res
}

// recordOwn records an operation that has just ended.
func (s *Scheduler) recordOwn(o Own, op *record.Op) {
	op.Completed = record.Now()
	s.hook.Op(op, new(record.FileRef), o.Name, s.classOr(o.class).ref)
}
