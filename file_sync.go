package sluice

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
)

// Sync commits the file to stable storage (fsync(2)). Concurrent Syncs and Datasyncs of one File
// share an fsync, which starts after each of them was called.
//
// Once an fsync has failed and may have lost data (EIO, ENOSPC, EDQUOT), every later Sync and
// Datasync of the File returns the error: write the data to a new file. The kernel reports a loss
// once, to the first fsync that asks, so use one File for all users of a descriptor.
func (f *File) Sync() error { return f.SyncContext(context.Background()) }

// SyncContext is Sync, but returns ctx's error if ctx ends before its fsync begins, or while it
// waits for a shared fsync. It does not abandon an fsync that it makes itself.
func (f *File) SyncContext(ctx context.Context) error {
	return f.commit(ctx, (*sched.Scheduler).Sync)
}

// Datasync commits the data, and the metadata that reading it needs, such as the size
// (fdatasync(2)). A crash may lose other metadata, such as the time of modification. It shares
// calls and remembers errors as [File.Sync] does. It is Sync on systems other than Linux, and for
// files without disk I/O.
func (f *File) Datasync() error { return f.DatasyncContext(context.Background()) }

// DatasyncContext is Datasync, but returns early if ctx ends; see [File.SyncContext].
func (f *File) DatasyncContext(ctx context.Context) error {
	return f.commit(ctx, (*sched.Scheduler).Datasync)
}

// commit calls do, which is SyncContext or DatasyncContext of the core.
func (f *File) commit(ctx context.Context, do func(*sched.Scheduler, context.Context, *sched.File) error) error {
	if err := handle.ContextError(ctx); f != nil && err != nil {
		return f.h.Error("sync", err)
	}
	switch {
	case f == nil || f.h.OS == nil: // nil, or the zero File
		return os.ErrInvalid
	case f.h.IO == nil:
		return f.h.PlainSync()
	}
	if !f.h.IO.Use() {
		return f.h.Error("sync", os.ErrClosed)
	}
	err := do(f.h.Sched.Core, ctx, f.h.IO)
	f.h.IO.Done()
	return f.h.Error("sync", err)
}
