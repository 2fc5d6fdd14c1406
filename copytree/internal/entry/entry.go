// Package entry copies one entry of a directory that is no directory itself: a
// regular file, a symbolic link, a FIFO, a device.
//
//	c := entry.NewCopier(shared, kernel, events)
//	c.Copy(&item.Item{Dir: d, Src: name, Dst: name, Type: at.Regular, SrcFD: -1, DstFD: -1})
//
// The steps of a regular file are in regular.go, in the order in which they happen:
// the source is opened, the copy is created, its content is copied, its attributes
// are set, and it is closed. If something exists at the place of the copy, package
// conflict decides. Copies of other kinds are made by one call (special.go).
//
// # Concurrency
//
// Each worker has its own Copier. Those of one copy have one Shared.
package entry

import (
	"context"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/attr"
	"github.com/sluiceio/sluice/copytree/internal/conflict"
	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/hardlink"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/made"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/pace"
	"github.com/sluiceio/sluice/copytree/internal/report"
)

// Shared is what all workers of a copy have in common.
type Shared struct {
	Ctx     context.Context
	Opt     option.Options
	Umask   uint32
	Several bool // there are several Pairs
	Watched bool // the caller reads Report.Progress

	Content *content.Copier
	Syncer  *durable.Syncer // nil with SyncNone
	Handles *dirs.Handles
	Links   hardlink.Table
	Made    made.Record
	Report  report.Report

	Stop func() // makes all workers begin nothing more
}

// Events is what a Copier tells the worker that it belongs to.
type Events interface {
	// CacheMissing is called when the page cache lacks most of what is asked for.
	CacheMissing()
	// LongCopy is called before a file is copied that may take long, so that others may help with the rest of
	// its batch: a file larger than content.SmallFile whose data is not shared, or one that is not regular.
	LongCopy()
}

// Copier copies entries for one worker.
type Copier struct {
	*Shared
	Kernel *at.Kernel // the worker's own
	Hold   pace.Hold
	Misses pace.CacheMisses
	Counts report.Counts
	Attr   attr.Copier

	conflict conflict.Resolver
	events   Events
	access   at.Access // that copies are opened for
	raw      at.Raw
	seen     int // files
}

// NewCopier returns a Copier for a worker. k is the worker's own.
func NewCopier(s *Shared, k *at.Kernel, events Events) *Copier {
	o := &s.Opt
	c := &Copier{
		Shared: s, Kernel: k, Hold: pace.NewHold(), events: events,
		Attr:     attr.New(k, o.Preserve, o.Require, s.Umask),
		conflict: conflict.Resolver{Kernel: k, Opt: o, Report: &s.Report, Made: &s.Made, Several: s.Several},
	}
	if o.Verify {
		c.access = at.ReadWrite
	}
	return c
}

// Copy copies an entry, and counts and reports what became of it.
func (c *Copier) Copy(it *item.Item) {
	if c.Report.OnDone != nil {
		it.Begun = time.Now()
	}
	c.found(it)
	c.Kernel.Hold = c.Hold.Begin()
	err := c.copyByType(it)
	c.Hold.End()
	if err != nil {
		c.Fail(it.Dir, it.Src, it.Dst, err)
		if !it.Kept {
			c.conflict.Restore(it)
			return
		}
	}
	c.count(it)
}

// copyByType copies an entry by what type of file it is, and what Options.Make says.
func (c *Copier) copyByType(it *item.Item) error {
	switch {
	case it.Dir.Absent: // DryRun, in a directory that would have been made
		return c.pretend(it)
	case it.Type == at.Regular && c.Opt.Make == option.MakeCopy && !c.Opt.DryRun:
		return c.copyFile(it)
	}
	if err := c.Kernel.Stat(it.Dir.SrcFD, it.Src, it.Follow, &it.Stat); err != nil {
		return fault.Source("stat", err)
	}
	it.Type = it.Stat.Type()
	switch {
	case it.Type == at.Directory:
		return fault.Source("copy", fault.ErrChanged)
	case c.Opt.DryRun:
		return c.pretend(it)
	case c.Opt.Make == option.MakeHardLink:
		return c.makeHardLink(it)
	case c.Opt.Make == option.MakeSymlink:
		return c.makeSymlink(it)
	case c.Opt.CopiesContent(it.Type):
		return c.copyFile(it)
	}
	return c.copyOrLink(it, c.copySpecial)
}

// NoteCache counts what a call that must not wait has found.
func (c *Copier) NoteCache(found at.Cached) {
	c.Misses.Note(found)
	if found == at.CacheMiss && c.Misses.Cold() {
		c.events.CacheMissing()
	}
}

// Fail reports what went wrong with the entry src of d, and stops the copy if the
// destination is full. What only failed because the context ended is not reported.
func (s *Shared) Fail(d *dirs.Dir, src, dst at.Name, err error) {
	var all []*report.Error
	full := false
	for _, f := range fault.All(err) {
		if f.Canceled() && s.Ctx.Err() != nil {
			continue
		}
		full = full || f.Full()
		all = append(all, report.ErrorOf(f, d.SrcOf(src), d.DstOf(dst)))
	}
	if full {
		s.Stop()
	}
	if len(all) > 0 {
		s.Report.Fail(full, all...)
	}
}

// Sync hands a file over to be synced and closed.
func (s *Shared) Sync(f durable.File) {
	s.Report.Progress.ToSync.Add(1)
	s.Syncer.Add(f)
}
