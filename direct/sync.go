package direct

import (
	"context"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
)

// Sync commits all writes of the file, through any File, to stable storage; see sluice.File.Sync.
func (f *File) Sync() error { return f.SyncContext(context.Background()) }

// SyncContext is Sync, but returns early if ctx ends; see sluice.File.SyncContext.
func (f *File) SyncContext(ctx context.Context) error {
	return f.commit(ctx, (*sluice.File).SyncContext, (*sched.Scheduler).Sync)
}

// Datasync commits all writes of the file, through any File, and the metadata that reading them
// needs; see sluice.File.Datasync.
func (f *File) Datasync() error { return f.DatasyncContext(context.Background()) }

// DatasyncContext is Datasync, but returns early if ctx ends; see sluice.File.SyncContext.
func (f *File) DatasyncContext(ctx context.Context) error {
	return f.commit(ctx, (*sluice.File).DatasyncContext, (*sched.Scheduler).Datasync)
}

// commit calls first for the file. It calls second for the second descriptor, if that needs an
// fsync, too.
func (f *File) commit(ctx context.Context, first func(*sluice.File, context.Context) error, second func(*sched.Scheduler, context.Context, *sched.File) error) error {
	err := first(f.buffered(), ctx)
	if err != nil || f.direct == nil {
		return err
	}
	return f.direct.SyncSecond(func(file *sched.File) error {
		return f.call("sync", func() error { return second(f.h.Sched.Core, ctx, file) })
	})
}
