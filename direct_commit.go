package sluice

import (
	"context"

	"github.com/sluiceio/sluice/internal/sched"
)

// Sync commits to stable storage all that was written to the file, through any
// DirectFile; see File.Sync.
func (d *DirectFile) Sync() error { return d.SyncContext(context.Background()) }

// SyncContext is Sync, but returns early if ctx ends; see File.SyncContext.
func (d *DirectFile) SyncContext(ctx context.Context) error {
	return d.commit(ctx, (*sched.Scheduler).Sync)
}

// Datasync commits what was written to the file, through any DirectFile, and the
// metadata that is needed to read it again; see File.Datasync.
func (d *DirectFile) Datasync() error { return d.DatasyncContext(context.Background()) }

// DatasyncContext is Datasync, but returns early if ctx ends; see File.SyncContext.
func (d *DirectFile) DatasyncContext(ctx context.Context) error {
	return d.commit(ctx, (*sched.Scheduler).Datasync)
}

// commit is SyncContext or DatasyncContext, as do says.
func (d *DirectFile) commit(ctx context.Context, do func(*sched.Scheduler, context.Context, *sched.File) error) error {
	err := d.buffered().commit(ctx, do)
	if err != nil || d.direct == nil || !d.direct.apart {
		return err
	}
	return d.call("sync", func() error { return do(d.direct.sched, ctx, d.direct.tail) })
}
