package copytree

import (
	"errors"
	"fmt"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/copytree/internal/walk"
	"github.com/sluiceio/sluice/internal/handle"
)

// The packages below copytree have their own types for options and results, so that
// the documented ones are here. This file converts between them.

// hasFileSystems is a variable so that a test can change it.
var hasFileSystems = durable.HasFileSystems

// check returns an error if an option has no meaning, or none on this system.
func (o *Options) check() error {
	switch {
	case o.BlockSize != 0 && (o.BlockSize < 512 || o.BlockSize > 64<<20):
		return fmt.Errorf("copytree: Options.BlockSize of %d bytes is not between 512 and 64 MiB", o.BlockSize)
	case o.Concurrency < 0 || o.Concurrency > 1024:
		return fmt.Errorf("copytree: Options.Concurrency of %d is not between 0 and 1024", o.Concurrency)
	}
	for _, c := range []struct {
		name       string
		value, max uint8
	}{
		{"Follow", uint8(o.Follow), uint8(FollowAll)},
		{"Make", uint8(o.Make), uint8(MakeAttributes)},
		{"Existing", uint8(o.Existing), uint8(Older)},
		{"Reflink", uint8(o.Reflink), uint8(ReflinkNever)},
		{"Sparse", uint8(o.Sparse), uint8(SparseNever)},
		{"Sync", uint8(o.Sync), uint8(SyncFiles)},
	} {
		if c.value > c.max {
			return fmt.Errorf("copytree: Options.%s of %d is none of its choices", c.name, c.value)
		}
	}
	for _, p := range []struct {
		name  string
		value Preserve
	}{{"Preserve", o.Preserve}, {"Require", o.Require}} {
		if p.value&^(PreserveAll|NoMode) != 0 {
			return fmt.Errorf("copytree: Options.%s of %#x has more than the constants of Preserve", p.name, p.value)
		}
	}
	if o.Sync == SyncFileSystem && !hasFileSystems {
		return fmt.Errorf("copytree: Options.Sync of SyncFileSystem needs syncfs(2), which this system lacks (use SyncFiles): %w", errors.ErrUnsupported)
	}
	return nil
}

// scheduler returns the Scheduler to use.
func (o *Options) scheduler() (*sluice.Scheduler, error) {
	if o.Scheduler != nil {
		return o.Scheduler, nil
	}
	return sluice.Default()
}

// config returns the options as package walk takes them.
func (o *Options) config(h *handle.Scheduler) walk.Config {
	c := walk.Config{
		Scheduler: h.Core, NewDriver: h.NewDriver,
		OnWait: o.OnWait,
		Options: option.Options{
			Preserve: option.Preserve(o.Preserve), Require: option.Preserve(o.Require),
			Follow: option.Follow(o.Follow), Make: option.Make(o.Make), Existing: option.Existing(o.Existing),
			Reflink: uint8(o.Reflink), Sparse: uint8(o.Sparse), Sync: option.Sync(o.Sync),
			Files: o.Files, OneFileSystem: o.OneFileSystem, CopyContents: o.CopyContents,
			Unlink: o.Unlink, Force: o.Force, WriteDangling: o.WriteDangling, NumberedBackup: o.NumberedBackup,
			Verify: o.Verify, Resume: o.Resume, DryRun: o.DryRun,
			Ask: o.Ask, Backup: o.Backup,
			BlockSize: o.BlockSize, Concurrency: o.Concurrency,
		},
	}
	if o.OnError != nil {
		c.OnError = func(e *report.Error) { o.OnError((*Error)(e)) }
	}
	if o.OnDone != nil {
		c.OnDone = func(d report.Done) {
			o.OnDone(Done{Dst: d.Dst, Src: d.Src, What: What(d.What), Bytes: d.Bytes, Took: d.Took, Backup: d.Backup, Removed: d.Removed})
		}
	}
	if p := o.Progress; p != nil {
		c.Progress = &report.Progress{
			Files: &p.Files, Dirs: &p.Dirs, Bytes: &p.Bytes, Found: &p.Found, FoundBytes: &p.FoundBytes,
			ToSync: &p.ToSync, Synced: &p.Synced, Failed: &p.Failed,
			Walked: &p.Walked, Syncing: &p.Syncing, Current: &p.current,
		}
	}
	return c
}

// resultOf returns what package walk has done as a Result.
func resultOf(r walk.Result) Result {
	result := Result{
		Files: r.Files, Dirs: r.Dirs, Symlinks: r.Symlinks, Links: r.Links, Specials: r.Specials,
		Skipped: r.Skipped, Failed: r.Failed, Cloned: r.Cloned, Bytes: r.Bytes, Holes: r.Holes,
		Synced: r.Synced, Verified: r.Verified, Took: r.Took,
	}
	for _, e := range r.Errors {
		result.Errors = append(result.Errors, (*Error)(e))
	}
	return result
}
