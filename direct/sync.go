package direct

import (
	"context"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sched"
)

// Sync commits to stable storage all that was written to the file, through any
// File; see sluice.File.Sync.
func (d *File) Sync() error { return d.SyncContext(context.Background()) }

// SyncContext is Sync, but returns early if ctx ends; see sluice.File.SyncContext.
func (d *File) SyncContext(ctx context.Context) error {
	return d.commit(ctx, (*sluice.File).SyncContext, (*sched.Scheduler).Sync)
}

// Datasync commits what was written to the file, through any File, and the
// metadata that is needed to read it again; see sluice.File.Datasync.
func (d *File) Datasync() error { return d.DatasyncContext(context.Background()) }

// DatasyncContext is Datasync, but returns early if ctx ends; see sluice.File.SyncContext.
func (d *File) DatasyncContext(ctx context.Context) error {
	return d.commit(ctx, (*sluice.File).DatasyncContext, (*sched.Scheduler).Datasync)
}

// commit calls first for the file, and second for its second descriptor if that needs an
// fsync of its own.
func (d *File) commit(ctx context.Context, first func(*sluice.File, context.Context) error, second func(*sched.Scheduler, context.Context, *sched.File) error) error {
	err := first(d.buffered(), ctx)
	if err != nil || d.direct == nil {
		return err
	}
	return d.direct.SyncSecond(func(f *sched.File) error {
		return d.call("sync", func() error { return second(d.h.Sched.Core, ctx, f) })
	})
}
