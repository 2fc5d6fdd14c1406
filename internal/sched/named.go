package sched

import (
	"cmp"
	"context"
	"io"
	"math"
	"syscall"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/sys"
)

// This file is about what a Batch does by plain calls: with names (open, stat, rename), and with
// files that no other operation knows of (batch/raw.go). Their permits are in name_permits.go.

// NamedCall is a system call with a name, about to be made or in progress.
type NamedCall struct {
	s                *Scheduler
	asked, submitted int64 // for the record; 0 while nothing is recorded
	permit           namePermit
}

// BeginNamed begins a system call of a kind that may wait: it acquires a permit. If ctx ends first,
// it returns ctx's error and the call must not be made. The caller ends the call with End.
func (s *Scheduler) BeginNamed(ctx context.Context, kind CallKind) (NamedCall, error) {
	asked := s.paths.Recording.Now()
	p, err := s.namePermit(ctx, kind)
	if err != nil {
		return NamedCall{}, err
	}
	return NamedCall{s, asked, s.paths.Recording.Now(), p}, nil
}

// BeginNamedWithoutPermit is BeginNamed for a call that does not wait.
func (s *Scheduler) BeginNamedWithoutPermit() NamedCall {
	now := s.paths.Recording.Now()
	return NamedCall{s: s, asked: now, submitted: now}
}

// End releases the permit, if the call has one, and counts and records the call. Kind is the
// record's (record.KindOpen …) and name is the file's. Off and size say the range, where the call
// has one.
func (c NamedCall) End(kind uint8, name string, off, size int64, err error) {
	c.s.names.release(c.permit)
	c.s.paths.Counters.Add(counters.Blocking, driver.Code(kind), 0)
	if c.asked == 0 {
		return
	}
	c.s.paths.Recording.Op(&record.Op{
		Queued: c.asked, Submitted: c.submitted, Completed: record.Now(), Off: off, Size: int(size), Res: iopath.ResultOf(err),
		Kind: kind, Path: record.PathPlain,
	}, new(record.FileRef), name, nil)
}

// RawFile is a descriptor that the caller alone uses, and its name for records.
type RawFile struct {
	FD   int
	Name string
	// For records of operations that are queued by class: the operation's class, and when it
	// was asked for.
	class   *Class
	askedAt int64
}

// ReadRaw is ReadAt for a RawFile. Bytes that the page cache does not have are read by plain
// calls.
func (s *Scheduler) ReadRaw(ctx context.Context, o RawFile, b []byte, off int64) (n int, err error) {
	return transferAll(ctx, b, off, io.EOF, func(b []byte, off int64) int32 {
		if res := s.rawCached(ctx, o, b, off); res > 0 {
			return res
		}
		return s.rawPlain(ctx, driver.Read, o, b, off)
	})
}

// WriteRaw is WriteAt for a RawFile. It makes plain calls.
func (s *Scheduler) WriteRaw(ctx context.Context, o RawFile, b []byte, off int64) (n int, err error) {
	return transferAll(ctx, b, off, io.ErrUnexpectedEOF, func(b []byte, off int64) int32 {
		return s.rawPlain(ctx, driver.Write, o, b, off)
	})
}

// transferAll transfers all of b, in as many transfers as it takes, to or from the file's bytes at
// off. If a transfer moves no bytes, the error is end.
func transferAll(
	ctx context.Context, b []byte, off int64, end error, transfer func(b []byte, off int64) int32,
) (n int, err error) {
	if off > math.MaxInt64-int64(len(b)) {
		return 0, syscall.EINVAL // as from pread(2)
	}
	for n < len(b) {
		res := transfer(b[n:], off+int64(n))
		if res == 0 {
			return n, end
		}
		if res < 0 {
			return n, errorOf(ctx, res)
		}
		n += int(res)
	}
	return n, nil
}

// rawCached reads what the page cache has. If the operation's class has limits, it does not
// look: the limits come first.
func (s *Scheduler) rawCached(ctx context.Context, o RawFile, b []byte, off int64) int32 {
	if s.paths.Classes.Active() {
		if o.class = s.paths.Classes.Or(s.paths.Classes.In(ctx)); o.class.Limited() {
			return eagain
		}
	}
	asked := s.paths.Recording.Now()
	res := sys.ReadCached(o.FD, b, off)
	if res > 0 {
		s.paths.Counters.Add(counters.Cached, driver.Read, res)
		if asked != 0 {
			s.recordRaw(o, &record.Op{Queued: asked, Off: off, Size: len(b), Res: res, Kind: record.KindRead, Path: record.PathCached})
		}
	}
	return res
}

// rawPlain makes a plain call. Once there are classes it may first wait for a ticket.
func (s *Scheduler) rawPlain(ctx context.Context, code driver.Code, o RawFile, b []byte, off int64) int32 {
	if s.paths.Classes.Active() {
		return s.rawWithTicket(ctx, code, o, b, off)
	}
	return s.rawNow(ctx, code, o, b, off)
}

// rawNow is rawPlain of an operation whose ticket has been granted, or that needs none.
func (s *Scheduler) rawNow(ctx context.Context, code driver.Code, o RawFile, b []byte, off int64) int32 {
	asked := s.paths.Recording.Now()
	kind := iopath.KindOf(code)
	p, err := s.namePermit(ctx, kind)
	if err != nil {
		return ecanceled
	}
	submitted := s.paths.Recording.Now()
	res := s.paths.CallAgain(code, o.FD, b, off)
	s.names.release(p)
	s.paths.Counters.Add(counters.Blocking, code, res)
	if asked != 0 {
		s.recordRaw(o, &record.Op{
			Queued: cmp.Or(o.askedAt, asked), Submitted: submitted, Off: off, Size: len(b), Res: res,
			Kind: uint8(code), Path: record.PathPlain,
		})
	}
	return res
}

// recordRaw records an operation that has just ended.
func (s *Scheduler) recordRaw(o RawFile, op *record.Op) {
	op.Completed = record.Now()
	s.paths.Recording.Op(op, new(record.FileRef), o.Name, s.paths.Classes.Or(o.class).Ref())
}
