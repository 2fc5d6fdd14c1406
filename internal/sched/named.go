package sched

import (
	"context"
	"io"
	"math"
	"syscall"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
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
// record's (record.KindOpen …). Off and size say the range, if there is one.
func (c NamedCall) End(kind uint8, name string, off, size int64, err error) {
	c.s.names.release(c.permit)
	c.s.paths.Counters.Add(counters.Plain, driver.Code(kind), 0)
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
}

// ReadRaw is ReadAt for a RawFile. Bytes that the page cache does not have are read by plain calls.
func (s *Scheduler) ReadRaw(ctx context.Context, o RawFile, b []byte, off int64) (n int, err error) {
	return s.transferRaw(ctx, driver.Read, o, b, off, io.EOF)
}

// WriteRaw is WriteAt for a RawFile. It makes plain calls.
func (s *Scheduler) WriteRaw(ctx context.Context, o RawFile, b []byte, off int64) (n int, err error) {
	return s.transferRaw(ctx, driver.Write, o, b, off, io.ErrUnexpectedEOF)
}

func (s *Scheduler) transferRaw(ctx context.Context, code driver.Code, o RawFile, b []byte, off int64, end error) (n int, err error) {
	if off > math.MaxInt64-int64(len(b)) {
		return 0, syscall.EINVAL // as from pread(2)
	}
	f := s.raws.Get(func() *ForeignFile { return new(ForeignFile) })
	defer s.raws.Put(f)
	f.SetAlone(o.FD, o.Name)
	again := func(b []byte, off int64) int32 {
		if s.paths.Classes.Active() {
			return s.transferWithTicket(ctx, code, &f.File, b, off, func(f *File, b []byte) int32 {
				return s.callRaw(ctx, code, f, b, off)
			})
		}
		if code == driver.Read {
			if res := s.paths.ReadCached(&f.File, b, off); res >= 0 {
				return res
			}
		}
		return s.callRaw(ctx, code, &f.File, b, off)
	}
	return transferAll(ctx, b, off, again(b, off), end, again)
}

// callRaw makes one transfer of a RawFile, as a plain call.
func (s *Scheduler) callRaw(ctx context.Context, code driver.Code, f *File, b []byte, off int64) int32 {
	asked := s.paths.Recording.Now()
	p, err := s.namePermit(ctx, iopath.KindOf(code))
	if err != nil {
		return ecanceled
	}
	res := s.paths.PlainCall(asked, iopath.Plain{Permit: p.Permit}, code, f, b, off)
	s.names.release(namePermit{by: p.by})
	return res
}
