package copytree

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/content"
	"github.com/sluiceio/sluice/copytree/internal/durable"
	"github.com/sluiceio/sluice/internal/sched"
)

// job is one call of CopyAll.
type job struct {
	o       Options
	ctx     context.Context
	kernel  *at.Kernel
	copier  *content.Copier
	syncer  *durable.Syncer // nil with SyncNone
	handles handles
	queue   queue
	links   links
	made    made
	report  report

	umask   uint32
	access  at.Access // destinations are opened for
	several bool      // there is more than one pair
	plain   bool      // files have to be copied, and nothing else be done with them
	above   []at.ID   // the directories that the copy is in, of the pair in progress
	// stopped says that nothing more is to be begun: the context has ended, or
	// the destination is full.
	stopped   atomic.Bool
	told      sync.Once         // Options.OnWait
	scheduler *sluice.Scheduler // acquired
}

// CopyAll copies each pair in turn as one copy: hard links between the sources
// are kept. Where directories are merged, the file of the last pair stays. A file that is
// the Dst of one pair is not overwritten by another pair with the same Dst (ErrTwice).
// An error that is not of a file, such as a wrong option, is
// returned alone.
func CopyAll(ctx context.Context, pairs []Pair, o Options) (Result, error) {
	j, err := newJob(ctx, o, at.New())
	if err != nil {
		return Result{}, err
	}
	defer j.close()
	return j.copy(pairs)
}

// scheduler is the one to use.
func (o *Options) scheduler() (*sluice.Scheduler, error) {
	if o.Scheduler != nil {
		return o.Scheduler, nil
	}
	return sluice.Default()
}

// wrote is what counts the bytes of large files while they are copied, if
// somebody watches.
func (j *job) wrote() func(n int64) {
	if j.o.Progress == nil {
		return nil
	}
	return func(n int64) { j.report.live.Bytes.Add(n) }
}

// newJob returns a job, which the caller closes.
func newJob(ctx context.Context, o Options, k *at.Kernel) (*job, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	scheduler, err := o.scheduler()
	if err != nil {
		return nil, err
	}
	if err := scheduler.Internal().Acquire(); err != nil {
		return nil, err
	}
	if o.Resume {
		o.Preserve |= PreserveTimes
	}
	j := &job{o: o, ctx: ctx, kernel: k, umask: at.Umask(), scheduler: scheduler}
	j.report = report{onError: o.OnError, onDone: o.OnDone, live: o.Progress}
	if o.Progress == nil {
		j.report.live = new(Progress)
	}
	if o.Verify {
		j.access = at.ReadWrite
	}
	j.plain = !o.Verify && o.Sparse == SparseAuto && o.Reflink != ReflinkAlways && (o.BlockSize == 0 || o.BlockSize >= smallFile)
	l := limitsFor(at.Descriptors(), o.Concurrency)
	j.handles = handles{kernel: k, most: l.dirs}
	j.queue.init(l)
	j.begin(scheduler.Internal().Core)
	return j, nil
}

// begin makes what copies content, and what syncs it.
func (j *job) begin(core *sched.Scheduler) {
	j.copier = content.New(content.Config{
		Scheduler: core,
		Reflink:   content.Reflink(j.o.Reflink),
		Sparse:    content.Sparse(j.o.Sparse),
		BlockSize: j.o.BlockSize,
		Verify:    j.o.Verify,
		Wrote:     j.wrote(),
	})
	if j.o.Sync != SyncNone && !j.o.DryRun {
		j.syncer = durable.New(durable.Config{Files: j.o.Sync == SyncFiles, Scheduler: core, Failed: j.syncFailed, Synced: j.synced})
	}
}

// check says what is wrong with the options.
func (o *Options) check() error {
	switch {
	case o.BlockSize != 0 && (o.BlockSize < 512 || o.BlockSize > 64<<20):
		return fmt.Errorf("copytree: Options.BlockSize of %d bytes is not between 512 and 64 MiB", o.BlockSize)
	case o.Concurrency < 0 || o.Concurrency > 1024:
		return fmt.Errorf("copytree: Options.Concurrency of %d is not between 0 and 1024", o.Concurrency)
	}
	for _, c := range []struct {
		name        string
		value, most uint8
	}{
		{"Follow", uint8(o.Follow), uint8(FollowAll)},
		{"Make", uint8(o.Make), uint8(MakeAttributes)},
		{"Existing", uint8(o.Existing), uint8(Older)},
		{"Reflink", uint8(o.Reflink), uint8(ReflinkNever)},
		{"Sparse", uint8(o.Sparse), uint8(SparseNever)},
		{"Sync", uint8(o.Sync), uint8(SyncFiles)},
	} {
		if c.value > c.most {
			return fmt.Errorf("copytree: Options.%s of %d is none of its choices", c.name, c.value)
		}
	}
	return nil
}

// copy copies all pairs.
func (j *job) copy(pairs []Pair) (Result, error) {
	begun := time.Now()
	j.several = len(pairs) > 1
	unwatch := context.AfterFunc(j.ctx, j.stop)
	defer unwatch()
	w := newWorker(j, 0)
	for i := range pairs {
		if j.stopped.Load() {
			break
		}
		j.pair(w, &pairs[i])
	}
	j.report.live.Walked.Store(true)
	j.sync()
	j.handles.forgetAll()
	r := w.counts
	r.Failed, r.Errors = j.report.result.Failed, j.report.result.Errors
	r.Synced = j.report.live.Synced.Load()
	r.Took = time.Since(begun)
	return r, j.report.err(j.ctx)
}

// close ends what newJob has begun.
func (j *job) close() {
	j.copier.Close()
	j.scheduler.Internal().Release()
}

// stop has nothing more be begun.
func (j *job) stop() {
	j.stopped.Store(true)
	j.queue.wake()
}

// sync puts on disk what was copied, also when the copy was stopped: what
// Result says was done is done.
func (j *job) sync() {
	if j.syncer == nil {
		return
	}
	j.report.live.Syncing.Store(true)
	if err := j.syncer.Finish(); err != nil {
		j.report.fail(false, &Error{Op: "syncfs", Err: err})
	}
}

func (j *job) synced() { j.report.live.Synced.Add(1) }

func (j *job) syncFailed(f durable.File, err error) {
	j.report.fail(false, &Error{Op: "fsync", Dst: f.Path(), Path: f.Path(), Err: err})
}
