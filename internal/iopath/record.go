package iopath

import (
	"cmp"
	"errors"
	"syscall"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/groupcommit"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
)

// recordCall records an operation that was one system call of n bytes at off, made at submitted.
// Before that, an operation of a class may have waited for its ticket: its time in the queue.
func (p *Paths) recordCall(path uint8, asked, submitted int64, code driver.Code, f *File, n int, off int64, res int32) {
	p.Recording.Op(&record.Op{
		Queued: f.askedAtOr(asked), Submitted: submitted, Completed: record.Now(), Off: off, Size: n, Res: res,
		Kind: uint8(code), Path: path,
	}, &f.ref, f.RecordedName(), f.classRef())
}

// RecordQueued records an operation that was queued. A goroutine waited for it until woken.
func (p *Paths) RecordQueued(asked, woken int64, r *ioengine.Request, f *File) {
	op := &r.Op
	hook, id := r.Hook()
	hook.Op(&record.Op{
		Queued: f.askedAtOr(asked), Submitted: r.Times.Submitted, Completed: r.Times.Completed, Woken: woken,
		Off: op.Off, Size: len(op.Buf), Res: op.Res, Batch: r.Times.Batch,
		Kind: uint8(op.Code), Path: record.PathQueued, Drv: id,
	}, &f.ref, f.RecordedName(), f.classRef())
}

// RecordShared records a Sync or Datasync, as code says, that another caller's fsync has served.
func (p *Paths) RecordShared(asked int64, code driver.Code, by *groupcommit.Made, f *File) {
	p.Recording.Op(&record.Op{
		Queued: f.askedAtOr(asked), Submitted: by.Began, Completed: by.Ended, Woken: record.Now(), Res: ResultOf(by.Err),
		Kind: uint8(code), Path: record.PathShared,
	}, &f.ref, f.RecordedName(), f.classRef())
}

// ViewForRecord returns the view of f for an operation of class c that is about to wait for its
// ticket. While recording is on it is a new view, with the class and the time at which the
// operation was asked for. Otherwise it is f.
func (p *Paths) ViewForRecord(f *File, c *qos.Class) *File {
	asked := p.Recording.Now()
	if asked == 0 {
		return f
	}
	return &File{openFile: f.openFile, class: c, askedAt: asked}
}

// askedAtOr returns when the operation was asked for, if f is the view of one, or else at.
func (f *File) askedAtOr(at int64) int64 { return cmp.Or(f.askedAt, at) }

// classRef returns the identity of f's class in records, or nil if f has none.
func (f *File) classRef() *record.ClassRef {
	if f.class == nil {
		return nil
	}
	return f.class.Ref()
}

// RegionNames are the names of waiting operations in Go's execution trace.
var RegionNames = [driver.NumCodes]string{
	"sluice nop", "sluice read", "sluice write", "sluice fsync", "sluice fdatasync",
}

// ResultOf returns the result that err stands for: EINVAL if err is no system call's.
func ResultOf(err error) int32 {
	var e syscall.Errno
	switch {
	case err == nil:
		return 0
	case errors.As(err, &e):
		return -int32(e)
	}
	return einval
}
