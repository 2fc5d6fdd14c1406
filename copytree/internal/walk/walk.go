// Package walk copies trees: it walks the source, makes the directories, and has
// package entry copy what is in them.
//
//	j := walk.New(ctx, walk.Config{Options: options, Scheduler: core}, at.New())
//	defer j.Close()
//	result := j.Copy([]dirs.Pair{{Dst: "backup/photos", Src: "photos"}})
//
// A worker takes a directory from the queue, makes its copy (begin.go), reads a part of
// it (scan.go), queues the directories in it and copies its other entries (worker.go).
// When everything in a directory is done, its copy gets its metadata (finish.go).
//
// If the page cache lacks what is copied, the tree is cold: prefetchers read
// directories ahead of the workers and open their files (prefetch.go), and extra
// workers copy beside workers that wait for large files.
//
// # The packages below
//
//   - entry copies one file, symbolic link or device, and asks conflict what becomes
//     of a file that exists in its place;
//   - content copies the bytes of a file, attr its metadata; durable syncs it;
//   - queue has what is left to do, dirs the open directories, fetch reads files into
//     the page cache;
//   - made and hardlink remember what was copied; pace adapts to what calls have met;
//   - report collects counts and errors; item, option and fault are what all of them
//     speak of; at has the system calls.
//
// # Concurrency
//
// Several Jobs may run at once. Each makes its own goroutines, and waits for them.
package walk

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/copytree/internal/entry"
	"github.com/sluiceio/sluice/copytree/internal/fault"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/option"
	"github.com/sluiceio/sluice/copytree/internal/queue"
	"github.com/sluiceio/sluice/copytree/internal/report"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/sched"
)

// Config says what a Job does. Callbacks may be nil.
type Config struct {
	Options   option.Options
	Scheduler *sched.Scheduler
	// NewDriver opens a driver for a prefetcher, with up to depth requests in
	// flight. It returns nil if there is none that works without threads.
	NewDriver func(depth int) driver.Driver
	OnError   func(*report.Error)
	OnDone    func(report.Done)
	OnWait    func()           // called once, before the first calls that take long
	Progress  *report.Progress // nil: nobody reads it
}

// Result is what a Job has done.
type Result struct {
	report.Counts
	Failed int64
	Errors []*report.Error // the first report.MaxErrors
	Synced int64
	Took   time.Duration
}

// Job is one copy.
type Job struct {
	entry.Shared
	kernel    *at.Kernel // workers have clones of it
	queue     queue.Queue
	above     []at.ID // the directories that the copy is in, of the Pair in progress
	onWait    func()
	waiting   sync.Once // calls onWait
	newDriver func(depth int) driver.Driver
}

// New returns a Job, which the caller closes.
func New(ctx context.Context, cfg Config, k *at.Kernel) *Job {
	o := cfg.Options
	if o.Resume {
		o.Preserve |= option.PreserveTimes
	}
	l := limitsFor(at.Descriptors(), o.Concurrency)
	j := &Job{kernel: k, onWait: cfg.OnWait, newDriver: cfg.NewDriver}
	j.queue.Init(l.Limits)
	j.Shared = entry.Shared{
		Ctx: ctx, Opt: o, Umask: at.Umask(), Watched: cfg.Progress != nil,
		Handles: dirs.New(k, l.idleDirs), Stop: j.queue.Stop,
		Report: report.Report{OnError: cfg.OnError, OnDone: cfg.OnDone, Progress: cfg.Progress},
	}
	if cfg.Progress == nil {
		j.Report.Progress = report.Unwatched()
	}
	var wrote func(n int64)
	if j.Watched {
		wrote = func(n int64) { j.Report.Progress.Bytes.Add(n) }
	}
	j.Content = content.New(content.Config{
		Scheduler: cfg.Scheduler,
		Reflink:   content.Reflink(o.Reflink),
		Sparse:    content.Sparse(o.Sparse),
		BlockSize: o.BlockSize,
		Verify:    o.Verify,
		Wrote:     wrote,
	})
	if o.Sync != option.SyncNone && !o.DryRun {
		j.Syncer = durable.New(durable.Config{
			Files: o.Sync == option.SyncFiles, Scheduler: cfg.Scheduler,
			Failed: j.syncFailed, Synced: func() { j.Report.Progress.Synced.Add(1) },
		})
	}
	return j
}

// Close ends what New has begun.
func (j *Job) Close() { j.Content.Close() }

// Copy copies all Pairs, one after the other. It is called once.
func (j *Job) Copy(pairs []dirs.Pair) Result {
	begun := time.Now()
	j.Several = len(pairs) > 1
	unwatch := context.AfterFunc(j.Ctx, j.Stop)
	defer unwatch()
	w := newWorker(j, 0)
	for i := range pairs {
		if j.queue.Stopped() {
			break
		}
		j.copyPair(w, &pairs[i])
	}
	j.Report.Progress.Walked.Store(true)
	j.finishSync()
	j.Handles.CloseIdle()
	r := Result{Counts: w.Counts, Synced: j.Report.Progress.Synced.Load()}
	r.Failed, r.Errors = j.Report.Errors()
	r.Took = time.Since(begun)
	return r
}

// waits calls OnWait, once.
func (j *Job) waits() {
	if j.onWait != nil {
		j.waiting.Do(j.onWait)
	}
}

// finishSync puts on disk what was copied, also when the copy was stopped: the
// Result counts it as done.
func (j *Job) finishSync() {
	if j.Syncer == nil {
		return
	}
	j.Report.Progress.Syncing.Store(true)
	if err := j.Syncer.Finish(); err != nil {
		j.Report.Fail(false, &report.Error{Op: "syncfs", Err: err})
	}
}

func (j *Job) syncFailed(f durable.File, err error) {
	j.Report.Fail(false, &report.Error{Op: "fsync", Dst: f.Path(), Path: f.Path(), Err: err})
}

// copyPair copies one Pair. w is the first worker.
func (j *Job) copyPair(w *worker, p *dirs.Pair) {
	src, dst := dirs.Split(p.Src), dirs.Split(p.Dst)
	base, err := j.openBase(p, src, dst)
	if err != nil {
		j.Report.Fail(false, report.ErrorOf(fault.Of(err), p.Src, p.Dst))
		return
	}
	defer j.Handles.Retire(base)
	it := &w.item
	*it = item.Item{Dir: base, Src: src.Name, Dst: dst.Name, Root: true, SrcFD: -1, DstFD: -1, Through: at.FollowsLinks}
	it.Follow = at.Follow(j.Opt.Follow != option.FollowNone || src.Slash)
	if err := j.copyRoot(w, it, at.Follow(dst.Slash)); err != nil {
		j.Fail(base, it.Src, it.Dst, err)
	}
	if err := j.syncBase(base, dst); err != nil {
		j.Fail(base, it.Src, it.Dst, err)
	}
}

// openBase opens the directories that the paths of a Pair are relative to.
func (j *Job) openBase(p *dirs.Pair, src, dst dirs.Path) (*dirs.Dir, error) {
	d, err := j.Handles.Base(p, src, dst)
	if err != nil {
		return nil, err
	}
	d.ACL = j.Opt.Preserve&option.PreserveMode != 0 && !j.Opt.DryRun
	if err := j.watch(d.CopyID.Dev, d.DstFD); err != nil {
		j.Handles.Close(j.kernel, d)
		return nil, err
	}
	return d, nil
}

// watch has the file system dev synced in the end, which the directory fd is on.
func (j *Job) watch(dev uint64, fd int) error {
	if j.Syncer == nil {
		return nil
	}
	return fault.Dest("open", j.Syncer.Watch(dev, fd))
}

// syncBase has the directory synced that a Pair's copy is in.
func (j *Job) syncBase(d *dirs.Dir, dst dirs.Path) error {
	if j.Syncer == nil || j.Opt.Sync != option.SyncFiles || j.queue.Stopped() {
		return nil
	}
	fd, err := j.kernel.OpenMade(d.DstFD, at.Dot, at.NoFollow)
	if err != nil {
		return nil // the directory can be searched and not be read; its file system is synced anyway
	}
	j.Sync(durable.File{FD: fd, Dir: durable.Path(dst.Dir)})
	return nil
}

// copyRoot copies the file or tree that a Pair is about. through is whether the
// path of a directory's copy may be a symbolic link.
func (j *Job) copyRoot(w *worker, it *item.Item, through at.Follow) error {
	if err := j.kernel.Stat(it.Dir.SrcFD, it.Src, it.Follow, &it.Stat); err != nil {
		return fault.Source("stat", err)
	}
	it.Type = it.Stat.Type()
	if it.Type != at.Directory {
		w.Copy(it)
		return nil
	}
	if j.Opt.Files && !it.Dir.Pair.Alone {
		return fault.Source("copy", fault.ErrDirectory)
	}
	above, err := j.kernel.Ancestors(it.Dir.DstFD)
	if err != nil {
		return fault.Dest("open", err)
	}
	j.above = above
	d := it.Dir.Child(it.Src, it.Follow)
	d.CopyName, d.Through = slices.Clone(it.Dst), through
	j.copyTree(w, d)
	return nil
}

// copyTree copies a directory and everything in it. w, the first worker, starts the
// others and waits for them.
func (j *Job) copyTree(w *worker, d *dirs.Dir) {
	j.queue.Start(d)
	w.pool = &pool{job: j}
	w.pool.start()
	w.work()
	w.pool.wait(&w.Counts)
	w.pool = nil
	j.closeAbandoned(w)
}

// closeAbandoned closes what a copy that was stopped has left open.
func (j *Job) closeAbandoned(w *worker) {
	delivered, waiting := j.queue.Abandon()
	for _, b := range delivered {
		w.copyBatch(b) // which only closes the files, as the copy is stopped
	}
	for _, d := range waiting {
		w.unblock(d)
	}
	j.Handles.CloseIdle()
}
