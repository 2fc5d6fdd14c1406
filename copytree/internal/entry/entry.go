// Package entry copies one entry of a directory: a regular file, a symbolic link, a FIFO or a
// device, but not a directory.
//
//	m := entry.NewMaker(job, kernel, events)
//	m.Make(&item.Item{Dir: d, Src: name, Dst: name, Type: at.Regular, SrcFD: -1, DstFD: -1})
//
// regular.go has the steps of a regular file in their order: the source is opened, the copy is
// created, its content is copied, its attributes are set, and it is closed. If a file exists at the
// place of the copy, package conflict decides. Copies of other kinds are made by one call
// (special.go).
//
// # Concurrency
//
// Each worker has its own Maker. The Makers of one copy have one Job.
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

// Job is one copy. Its workers share it.
type Job struct {
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

// Events has the calls of a Maker to its worker.
type Events interface {
	// CacheMissing is called when the page cache lacks most of the files.
	CacheMissing()
	// LongCopy is called before a copy that may take long, so that other workers may help with the
	// rest of its batch. It is a copy of a file larger than content.SmallFile whose data is not
	// shared, or of a file that is not regular.
	LongCopy()
}

// Maker makes the copies of entries, for one worker.
type Maker struct {
	Kernel *at.Kernel // the worker's own
	Hold   pace.Hold  // decides whether Kernel's calls hold the P
	Misses pace.CacheMisses
	Counts report.Counts
	Attr   attr.Setter

	job      *Job
	conflict conflict.Resolver
	events   Events
	access   at.Access // with which copies are opened
	raw      at.Raw
	seen     int // the number of files
}

// NewMaker returns a Maker for a worker, with a new clone of k.
func NewMaker(j *Job, k *at.Kernel, events Events) *Maker {
	o := &j.Opt
	m := &Maker{Hold: pace.NewHold(), job: j, events: events}
	m.Kernel = k.Clone(&m.Hold.Holds)
	m.Attr = attr.New(m.Kernel, o.Preserve, o.Require, j.Umask)
	m.conflict = conflict.Resolver{Kernel: m.Kernel, Opt: o, Report: &j.Report, Made: &j.Made, Several: j.Several}
	if o.Verify {
		m.access = at.ReadWrite
	}
	return m
}

// Make copies an entry, and counts and reports the result.
func (m *Maker) Make(it *item.Item) {
	if m.job.Report.OnDone != nil {
		it.Begun = time.Now()
	}
	m.found(it)
	m.Hold.Begin()
	err := m.copyByType(it)
	m.Hold.End()
	if err != nil {
		m.job.Fail(it.Dir, it.Src, it.Dst, m.Denied(it.Dir, it.Src, it.Dst, it.Follow, err))
		if !it.Kept {
			m.conflict.Restore(it)
			return
		}
	}
	m.count(it)
}

// copyByType copies an entry by its file type and Options.Make.
func (m *Maker) copyByType(it *item.Item) error {
	switch {
	case it.Dir.Absent: // DryRun, in a directory that would be made
		return m.pretend(it)
	case it.Type == at.Regular && m.job.Opt.Make == option.MakeCopy && !m.job.Opt.DryRun:
		return m.copyFile(it)
	}
	if err := m.Kernel.Stat(it.Dir.SrcFD, it.Src, it.Follow, &it.Stat); err != nil {
		return fault.Source("stat", err)
	}
	it.Type = it.Stat.Type()
	switch {
	case it.Type == at.Directory:
		return fault.Source("copy", fault.ErrChanged)
	case m.job.Opt.DryRun:
		return m.pretend(it)
	case m.job.Opt.Make == option.MakeHardLink:
		return m.makeHardLink(it)
	case m.job.Opt.Make == option.MakeSymlink:
		return m.makeSymlink(it)
	case m.job.Opt.CopiesContent(it.Type):
		return m.copyFile(it)
	}
	return m.copyOrLink(it, m.copySpecial)
}

// NoteCache counts the answer of a call that cannot wait.
func (m *Maker) NoteCache(found at.Cached) {
	m.Misses.Note(found)
	if found == at.CacheMiss && m.Misses.Cold() {
		m.events.CacheMissing()
	}
}

// Fail reports an error of the entry src of d, and stops the copy if the destination is full. It
// does not report an error that only comes from the end of the context.
func (j *Job) Fail(d *dirs.Dir, src, dst at.Name, err error) {
	var all []*report.Error
	full := false
	for _, f := range fault.All(err) {
		if f.Canceled() && j.Ctx.Err() != nil {
			continue
		}
		full = full || f.Full()
		all = append(all, report.ErrorOf(f, d.SrcOf(src), d.DstOf(dst)))
	}
	if full {
		j.Stop()
	}
	if len(all) > 0 {
		j.Report.Fail(full, all...)
	}
}

// Sync passes on a file to be synced and closed.
func (j *Job) Sync(f durable.File) {
	j.Report.Progress.ToSync.Add(1)
	j.Syncer.Add(f)
}
