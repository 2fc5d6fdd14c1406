// Package walk copies trees: it walks the source, makes the directories, and lets package entry
// copy their entries.
//
//	w := walk.New(ctx, walk.System{Kernel: at.New(), Scheduler: core}, options)
//	defer w.Close()
//	result, whole := w.Copy([]option.Pair{{Dst: "backup/photos", Src: "photos"}})
//
// A worker takes a directory from the queue, makes its copy (begin.go), reads a part of it
// (scan.go), queues its directories and copies its other entries (worker.go). When everything in a
// directory is done, its copy gets its metadata (finish.go).
//
// If the page cache misses, the tree is cold: prefetchers read directories ahead of the workers and
// open their files (prefetch.go), and there are more workers (pool.go).
//
// # Who has what
//
//	Walk           one copy: the queue, the goroutines, the directories above
//	entry.Job      shared by workers: options, tables, report, Syncer, content.Copier
//	worker         one goroutine: its kernel, its buffers, one entry.Maker
//	entry.Maker    makes the copy of one entry after the other
//
// # The packages below
//
//   - entry copies one file, symbolic link or device, and asks conflict about an existing file in
//     its place.
//   - content copies the bytes of a file, attr sets its metadata, and durable syncs it.
//   - queue has the work that is left, dirs the open directories, and fetch reads files into the
//     page cache.
//   - made and hardlink record finished copies. pace adapts to the results of calls.
//   - report collects counts and errors. item, option and fault have the common types, and at has
//     the system calls.
//
// # Concurrency
//
// Several Walks may run at once. Each makes its own goroutines, and waits for them.
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

// System performs the calls of a Walk.
type System struct {
	Kernel    *at.Kernel       // workers have clones of it
	Scheduler *sched.Scheduler // for fsyncs, and for reads that have to wait
	// NewDriver opens a driver for a prefetcher, with up to depth requests in flight. It returns
	// nil if no driver works without threads. A nil NewDriver does the same.
	NewDriver func(depth int) driver.Driver
}

// Walk is one copy.
type Walk struct {
	sys     System
	job     entry.Job // shared by the workers
	queue   queue.Queue
	above   []at.ID      // of the current Pair: the copy's directory and all above it
	waiting sync.Once    // calls Options.OnWait
	broken  atomic.Bool  // a function of the caller did not return
	synced  atomic.Int64 // fsyncs that have returned
}

// New returns a Walk. The caller closes it.
func New(ctx context.Context, sys System, o option.Options) *Walk {
	if o.Resume {
		o.Preserve |= option.PreserveTimes
	}
	l := limitsFor(at.Descriptors(), o.Concurrency)
	t := &Walk{sys: sys}
	t.queue.Init(l.Limits)
	handles := dirs.New(sys.Kernel, l.idleDirs)
	handles.Pretend = o.DryRun
	t.job = entry.Job{
		Ctx: ctx, Opt: o, Umask: at.Umask(), Watched: o.Progress != nil,
		Handles: handles, Stop: t.queue.Stop,
		Report: report.Report{OnError: o.OnError, OnDone: o.OnDone, Progress: o.Progress, Broken: t.stopBroken},
	}
	if o.Progress == nil {
		t.job.Report.Progress = new(report.Progress)
	}
	var wrote func(n int64)
	if t.job.Watched {
		wrote = func(n int64) { t.job.Report.Progress.Bytes.Add(n) }
	}
	t.job.Content = content.New(content.Config{
		Scheduler: sys.Scheduler,
		Reflink:   o.Reflink,
		Sparse:    o.Sparse,
		BlockSize: o.BlockSize,
		Verify:    o.Verify,
		Wrote:     wrote,
		Fault:     sys.Kernel.Fault,
	})
	if o.Sync != option.SyncNone && !o.DryRun {
		t.job.Syncer = durable.New(durable.Config{
			Scheduler: sys.Scheduler, Close: sys.Kernel.Close, Failed: t.syncFailed, Synced: t.countSync,
		})
	}
	return t
}

// Close ends the work of New.
func (t *Walk) Close() { t.job.Content.Close() }

// Copy copies all Pairs, one after the other. It is called once. The copy is not whole if a
// function of the caller has ended a worker (runtime.Goexit).
func (t *Walk) Copy(pairs []option.Pair) (r report.Result, whole bool) {
	begun := time.Now()
	t.job.Several = len(pairs) > 1
	t.job.Handles.KeepTarget = t.job.Several
	unwatch := context.AfterFunc(t.job.Ctx, t.job.Stop)
	defer unwatch()
	w := newWorker(t, 0)
	t.copyPairs(w, pairs)
	r = w.maker.Counts.Result()
	r.Synced = t.synced.Load()
	r.Failed, r.Errors = t.job.Report.Errors()
	r.Took = time.Since(begun)
	return r, !t.broken.Load()
}

// copyPairs copies all Pairs. w is the first worker. It also cleans up if a function of the caller
// panics.
func (t *Walk) copyPairs(w *worker, pairs []option.Pair) {
	defer t.job.Handles.CloseIdle()
	defer t.job.Handles.CloseTarget()
	defer t.finishSync()
	for i := range pairs {
		if t.queue.Stopped() {
			break
		}
		t.copyPair(w, &pairs[i])
	}
	t.job.Report.Progress.Walked.Store(true)
}

// stopBroken stops the copy because a function of the caller did not return. The worker that called
// it is gone, and its work is not finished. The other workers must not wait for it.
func (t *Walk) stopBroken() {
	t.broken.Store(true)
	t.job.Stop()
}

// waits calls OnWait, once.
func (t *Walk) waits() {
	if f := t.job.Opt.OnWait; f != nil {
		t.waiting.Do(func() { t.job.Report.Guard(f) })
	}
}

// countSync counts an fsync for the Result and for Progress, which may include earlier copies.
func (t *Walk) countSync() {
	t.synced.Add(1)
	t.job.Report.Progress.Synced.Add(1)
}

// finishSync syncs the copied files, also when the copy was stopped: the Result counts them as
// done.
func (t *Walk) finishSync() {
	if t.job.Syncer == nil {
		return
	}
	t.job.Report.Progress.Syncing.Store(true)
	for _, e := range t.job.Syncer.Finish() {
		t.job.Report.Fail(false, &report.Error{Op: e.Op, Dst: e.Path, Path: e.Path, Err: e.Err})
	}
}

func (t *Walk) syncFailed(f durable.File, err error) {
	t.job.Report.Fail(false, &report.Error{Op: "fsync", Dst: f.Path(), Path: f.Path(), Err: err})
}
