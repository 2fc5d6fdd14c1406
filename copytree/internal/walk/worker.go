package walk

import (
	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/copytree/internal/dirs"
	"github.com/sluiceio/sluice/copytree/internal/entry"
	"github.com/sluiceio/sluice/copytree/internal/item"
	"github.com/sluiceio/sluice/copytree/internal/queue"
)

// dirBuffer is the number of bytes that one read of a directory returns. The names in it stay in
// memory while directories among them wait.
const dirBuffer = 32 << 10 // 32 KiB

// worker is one goroutine of a Walk: a worker or a prefetcher.
type worker struct {
	walk    *Walk
	job     *entry.Job // the Walk's
	maker   *entry.Maker
	kernel  *at.Kernel // maker's Kernel
	pool    *pool      // while a tree is copied
	id      int        // its number in the queue
	item    item.Item
	batch   *queue.Batch // the batch of item; nil for a root
	dirBuf  []byte
	entries []at.Entry // with names in dirBuf
	raw     at.Raw
}

func newWorker(t *Walk, id int) *worker {
	w := &worker{walk: t, job: &t.job, id: id, dirBuf: make([]byte, dirBuffer)}
	w.maker = entry.NewMaker(w.job, t.sys.Kernel, w)
	w.kernel = w.maker.Kernel
	return w
}

// work does the work in the queue until nothing is left.
func (w *worker) work() {
	for {
		b, d, cold := w.walk.queue.Next(w.id)
		w.maker.Hold.Allow(!cold)
		switch {
		case b != nil:
			w.copyBatch(b)
		case d != nil:
			if b := w.explore(d); b != nil {
				w.copyBatch(b)
			}
		default:
			return
		}
	}
}

// explore reads the next part of d, and queues its directories. It begins d first if necessary. It
// returns the other entries, whose directory is in use, or nil.
func (w *worker) explore(d *dirs.Dir) *queue.Batch {
	if !w.enter(d) {
		w.unblock(d)
		return nil
	}
	b := queue.NewBatch(d)
	more := false
	w.guard(d, func() { more = w.scan(d, b) })
	if len(b.Entries) > 0 {
		d.Unfinished.Add(1)
	} else {
		w.job.Handles.Release(d)
		b.Recycle()
		b = nil
	}
	if !more {
		w.unblock(d)
	}
	return b
}

// guard calls f, which may call functions of the caller, while d is in use. If one of them panics
// or ends the goroutine, guard releases d.
func (w *worker) guard(d *dirs.Dir, f func()) {
	returned := false
	defer func() {
		if !returned {
			w.job.Handles.Release(d)
			w.unblock(d)
		}
	}()
	f()
	returned = true
}

// enter begins d, or opens it again. It reports whether the caller must read d, which is then in
// use.
func (w *worker) enter(d *dirs.Dir) bool {
	if !d.Begun {
		d.Begun = true
		open := w.begin(d)
		if open && d.Leaf {
			w.job.Handles.Release(d)
		}
		return open && !d.Leaf
	}
	if err := w.job.Handles.Use(d); err != nil {
		w.job.Fail(d.Up, d.Name, d.CopyName, err)
		return false
	}
	return true
}

// copyBatch copies the entries of b that no other worker takes, and releases b. The last worker
// ends b.
func (w *worker) copyBatch(b *queue.Batch) {
	defer w.endBatch(b) // a panic in a function of the caller stops the copy
	if w.id == 0 {
		// Sharing data is work on metadata, which a file system does for one thread at a time. Two
		// threads took as long as one on xfs, and a quarter longer on btrfs, with half more
		// processor time.
		w.walk.queue.SetAlone(w.job.Content.OneAtATime(b.Dir.CopyID.Dev, b.Dir.Stat.Dev))
	}
	for !w.walk.queue.Stopped() {
		e := b.Take()
		if e == nil {
			return
		}
		w.copyEntry(b, e)
	}
}

// endBatch releases b. If the copy is stopped, it closes the rest of b. The last worker ends b.
func (w *worker) endBatch(b *queue.Batch) {
	for e := b.Take(); e != nil; e = b.Take() {
		if e.FD >= 0 {
			_ = w.kernel.Close(e.FD)
		}
	}
	if !w.walk.queue.Release(b) {
		return
	}
	d := b.Dir
	b.Recycle()
	w.job.Handles.Release(d)
	w.unblock(d)
}

// copyEntry copies one entry of a batch.
func (w *worker) copyEntry(b *queue.Batch, e *queue.Entry) {
	w.batch = b
	w.item = item.Item{Dir: b.Dir, Src: e.Name, Dst: e.Name, Type: e.Type, SrcFD: e.FD, DstFD: -1, Follow: w.job.Opt.FollowsEntries()}
	w.maker.Make(&w.item)
	w.batch = nil
}

// unblock ends one of the reasons that keep d from being finished. If it was the last one, it
// finishes d, and then the directories above d.
func (w *worker) unblock(d *dirs.Dir) {
	for d.Pair == nil && d.Unfinished.Add(-1) == 0 {
		w.finish(d)
		w.walk.queue.Finished()
		d = d.Up
	}
}

// CacheMissing makes the tree cold (entry.Events).
func (w *worker) CacheMissing() {
	w.walk.queue.SetCold(true)
	if w.pool != nil {
		w.pool.startCold()
	}
}

// LongCopy lets other workers help with the rest of the batch (entry.Events). Large files take
// long, and their copies do not wait for each other, unlike the creation of small files in one
// directory. A FIFO may wait for its other end for ever.
func (w *worker) LongCopy() {
	w.walk.waits()
	w.walk.queue.SetAlone(false)
	if w.batch != nil {
		w.walk.queue.Offer(w.batch)
	}
}
