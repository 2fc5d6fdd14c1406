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
// directories ahead of the workers and open their files (prefetch.go), and there are
// more workers (pool.go).
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
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/copytree/internal/entry"
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
	Progress  *report.Progress // nil: the caller does not read it
}

// Result is what a Job has done.
type Result struct {
	report.Counts
	Failed int64
	Errors []*report.Error // the first report.MaxErrors
	Synced int64
	Took   time.Duration
	Broken bool // a function of the caller has ended a worker (runtime.Goexit)
}

// Job is one copy.
type Job struct {
	entry.Shared
	kernel    *at.Kernel // workers have clones of it
	queue     queue.Queue
	above     []at.ID // of the Pair in progress: the directory of the copy and those above it
	onWait    func()
	waiting   sync.Once    // calls onWait
	broken    atomic.Bool  // a function of the caller did not return
	synced    atomic.Int64 // fsyncs that have returned
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
	handles := dirs.New(k, l.idleDirs)
	handles.Pretend = o.DryRun
	j.Shared = entry.Shared{
		Ctx: ctx, Opt: o, Umask: at.Umask(), Watched: cfg.Progress != nil,
		Handles: handles, Stop: j.queue.Stop,
		Report: report.Report{OnError: cfg.OnError, OnDone: cfg.OnDone, Progress: cfg.Progress, Broken: j.stopBroken},
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
		Fault:     k.Fault,
	})
	if o.Sync != option.SyncNone && !o.DryRun {
		j.Syncer = durable.New(durable.Config{
			Scheduler: cfg.Scheduler, Close: k.Close, Failed: j.syncFailed, Synced: j.countSync,
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
	j.Handles.KeepTarget = j.Several
	unwatch := context.AfterFunc(j.Ctx, j.Stop)
	defer unwatch()
	w := newWorker(j, 0)
	j.copyPairs(w, pairs)
	r := Result{Counts: w.Counts, Synced: j.synced.Load(), Broken: j.broken.Load()}
	r.Failed, r.Errors = j.Report.Errors()
	r.Took = time.Since(begun)
	return r
}

// copyPairs copies all Pairs. w is the first worker. What is left is done also if a function
// of the caller panics.
func (j *Job) copyPairs(w *worker, pairs []dirs.Pair) {
	defer j.Handles.CloseIdle()
	defer j.Handles.CloseTarget()
	defer j.finishSync()
	for i := range pairs {
		if j.queue.Stopped() {
			break
		}
		j.copyPair(w, &pairs[i])
	}
	j.Report.Progress.Walked.Store(true)
}

// stopBroken stops the copy because a function of the caller did not return. The worker that
// has called it is gone, and what it had begun is not finished: the others must not wait for it.
func (j *Job) stopBroken() {
	j.broken.Store(true)
	j.Stop()
}

// waits calls OnWait, once.
func (j *Job) waits() {
	if j.onWait != nil {
		j.waiting.Do(func() { j.Report.Guard(j.onWait) })
	}
}

// countSync counts an fsync: for the Result, and for Progress, which earlier copies may have
// counted in as well.
func (j *Job) countSync() {
	j.synced.Add(1)
	j.Report.Progress.Synced.Add(1)
}

// finishSync puts on disk what was copied, also when the copy was stopped: the
// Result counts it as done.
func (j *Job) finishSync() {
	if j.Syncer == nil {
		return
	}
	j.Report.Progress.Syncing.Store(true)
	for _, e := range j.Syncer.Finish() {
		j.Report.Fail(false, &report.Error{Op: e.Op, Dst: e.Path, Path: e.Path, Err: e.Err})
	}
}

func (j *Job) syncFailed(f durable.File, err error) {
	j.Report.Fail(false, &report.Error{Op: "fsync", Dst: f.Path(), Path: f.Path(), Err: err})
}
