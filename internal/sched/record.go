package sched

import (
	"cmp"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// RecordBy has operations recorded by way of h, as the driver's system calls
// are. What is counted in Stats as an operation, or a shared Sync, is a record.
// Called before the first operation.
func (s *Scheduler) RecordBy(h *record.Hook) {
	s.hook = h
	s.engine.hook = h // the first ring's: others are started later, and have their own
}

// Hook is by what operations are recorded.
func (s *Scheduler) Hook() *record.Hook { return s.hook }

// trip is what the engine notes of a request's way through the driver, for the
// record: 0 while nothing is recorded. Written by who submits the request and
// by the leader, read when it is done.
type trip struct {
	submitted, completed int64
	batch                int // how many were handed over together
}

// noteSubmitted notes when a batch is handed to the driver.
func (e *engine) noteSubmitted(batch []*driver.Op) {
	at := e.hook.Now()
	if at == 0 {
		return
	}
	for _, op := range batch {
		requestOf(op).trip = trip{submitted: at, batch: len(batch)}
	}
}

// recordCached records a read that path 1 has served. It began at asked.
func (s *Scheduler) recordCached(asked int64, f *File, n int, off int64, res int32) {
	s.hook.Op(&record.Op{
		Queued: f.asked(asked), Completed: record.Now(), Off: off, Size: n, Res: res,
		Kind: record.KindRead, Path: record.PathCached,
	}, &f.ref, f.name, f.classRef())
}

// recordPlain records an operation of path 2, whose call was made at
// submitted. It was asked for at asked, or then if that is 0.
func (s *Scheduler) recordPlain(asked, submitted int64, code driver.Code, f *File, n int, off int64, res int32) {
	s.hook.Op(&record.Op{
		Queued: f.asked(cmp.Or(asked, submitted)), Submitted: submitted, Completed: record.Now(), Off: off, Size: n, Res: res,
		Kind: uint8(code), Path: record.PathBlocking,
	}, &f.ref, f.name, f.classRef())
}

// recordQueued records an operation of path 3, for whom somebody waited until
// woken.
func (s *Scheduler) recordQueued(e *engine, asked, woken int64, r *request, f *File) {
	op := &r.op
	e.hook.Op(&record.Op{
		Queued: f.asked(asked), Submitted: r.trip.submitted, Completed: r.trip.completed, Woken: woken,
		Off: op.Off, Size: len(op.Buf), Res: op.Res, Batch: r.trip.batch,
		Kind: uint8(op.Code), Path: record.PathQueued, Drv: e.id,
	}, &f.ref, f.name, f.classRef())
}

// recordShared records a Sync that g's fsync has served.
func (s *Scheduler) recordShared(asked int64, f *File, g *syncGroup) {
	s.hook.Op(&record.Op{
		Queued: asked, Submitted: g.began, Completed: g.ended, Woken: record.Now(), Res: result(g.err),
		Kind: record.KindFsync, Path: record.PathShared,
	}, &f.ref, f.name, f.classRef())
}

// inTurn returns f for an operation of c's, which is about to wait for its turn:
// while that is recorded a view that has the class, and when it was asked for.
func (s *Scheduler) inTurn(f *File, c *Class) *File {
	asked := s.hook.Now()
	if asked == 0 {
		return f
	}
	return &File{openFile: f.openFile, class: c, askedAt: asked}
}

// asked is when the operation was asked for whose view f is, or else at.
func (f *File) asked(at int64) int64 { return cmp.Or(f.askedAt, at) }

// classRef is what records know f's class by.
func (f *File) classRef() *record.ClassRef {
	if f.class == nil {
		return nil
	}
	return f.class.ref
}

// regionNames are what operations that wait are called in the execution trace.
var regionNames = [driver.NumCodes]string{
	"sluice nop", "sluice read", "sluice write", "sluice fsync", "sluice fdatasync",
}

// result is what err was made of.
func result(err error) int32 {
	if e, ok := err.(syscall.Errno); ok {
		return -int32(e)
	}
	return 0
}
