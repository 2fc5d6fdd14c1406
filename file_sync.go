package sluice

import (
	"context"
	"os"

	"github.com/sluiceio/sluice/internal/handle"
	"github.com/sluiceio/sluice/internal/sched"
)

// Sync commits the file to stable storage (fsync(2)). Syncs of one File that
// are called at about the same time share an fsync, which starts after each
// of them was called; a [File.Datasync] may share it.
//
// Once an fsync has failed and may have lost data (EIO, ENOSPC, EDQUOT and others), every
// later Sync and Datasync of the File returns that error: the kernel reports it only
// once, and drops the data. Write the data again to a new file. In the same file ext4 may
// lose it once more and report success, unless the pages are dropped before
// ([File.Advise] with [AdviceDontNeed]).
//
// The kernel reports it once for each time that the file was opened (fsync(2), NOTES), to
// the first fsync that asks. So another fsync of the same open file may take the error
// away: fsync(2) of the Fd or a duplicate of it, OSFile().Sync, or Sync of another File of
// the same descriptor ([NewFile]). Use one File for all.
func (f *File) Sync() error { return f.SyncContext(context.Background()) }

// SyncContext is Sync, but returns ctx's error if ctx ends while the call waits for an
// fsync that it shares, or for its own to begin. Once it makes an fsync itself, that cannot
// be recalled, and is waited for.
func (f *File) SyncContext(ctx context.Context) error {
	return f.commit(ctx, (*sched.Scheduler).Sync)
}

// Datasync commits to stable storage what was written to the file, and the metadata that
// is needed to read it again, such as the size (fdatasync(2)). Other metadata, such as
// the time of the last modification, may be lost in a crash. If the file neither grows
// nor gets new blocks, this can save writing the metadata. Datasync is Sync on systems
// other than Linux, and for directories and other files without disk I/O.
//
// Datasyncs share fdatasyncs as Syncs share fsyncs, and a Datasync that is called together
// with a Sync shares its fsync. The errors are those of Sync, and are remembered for both.
func (f *File) Datasync() error { return f.DatasyncContext(context.Background()) }

// DatasyncContext is Datasync, but returns early if ctx ends; see SyncContext.
func (f *File) DatasyncContext(ctx context.Context) error {
	return f.commit(ctx, (*sched.Scheduler).Datasync)
}

// commit is SyncContext or DatasyncContext, as do says.
func (f *File) commit(ctx context.Context, do func(*sched.Scheduler, context.Context, *sched.File) error) error {
	if err := handle.ContextError(ctx); f != nil && err != nil {
		return f.h.Error("sync", err)
	}
	switch {
	case f == nil || f.h.OS == nil: // nil, or the zero File
		return os.ErrInvalid
	case f.h.Core == nil:
		return f.h.PlainSync()
	}
	if !f.h.Core.Use() {
		return f.h.Error("sync", os.ErrClosed)
	}
	err := do(f.h.Sched.Core, ctx, f.h.Core)
	f.h.Core.Done()
	return f.h.Error("sync", err)
}
