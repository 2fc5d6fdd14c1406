package copytree

import (
	"time"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

const (
	// smallFile is what is copied by one read and one write, from a worker's
	// own memory.
	smallFile = 64 << 10 // 64 KiB
	// direntRoom is for names of a directory. What is read of a directory at a
	// time is in memory for each directory that has been begun.
	direntRoom = 32 << 10 // 32 KiB
)

// worker is one goroutine's part of a job: a worker's, or a scout's.
type worker struct {
	*job
	kernel  *at.Kernel // its own
	pace    pace
	crew    *crew // it is in, while a tree is copied
	id      int
	buf     []byte
	dents   []byte
	scanned []at.Entry
	raw     at.Raw
	counts  Result
	seen    int // files
	warmth  warmth
	item    item
}

func newWorker(j *job, id int) *worker {
	return &worker{job: j, id: id, kernel: j.kernel.Own(), pace: pace{holds: true}, buf: make([]byte, smallFile), dents: make([]byte, direntRoom)}
}

// work copies until there is nothing left.
func (w *worker) work() {
	for {
		b, d, cold := w.queue.next(w.job, w.id)
		w.pace.rest(cold)
		switch {
		case b != nil:
			w.copyBatch(b)
		case d != nil:
			w.visit(d)
		default:
			return
		}
	}
}

// visit reads the next part of d, which begins it if need be, and copies what
// is in it.
func (w *worker) visit(d *dir) {
	if b := w.explore(d); b != nil {
		b.users = 1
		w.copyBatch(b)
	}
}

// explore reads the next part of d, queues the directories in it, and returns
// the rest, whose directory is in use; nil if there is none.
func (w *worker) explore(d *dir) *batch {
	if !w.enter(d) {
		w.left(d)
		return nil
	}
	b := batches.Get().(*batch)
	b.in = d
	more := w.scan(d, b)
	if len(b.entries) > 0 {
		d.open.Add(1)
	} else {
		w.handles.unuse(d)
		b.recycle()
		b = nil
	}
	if !more {
		w.left(d)
	}
	return b
}

// enter begins d, or opens it again to read on. It is in use then.
func (w *worker) enter(d *dir) bool {
	if !d.begun {
		d.begun = true
		open := w.start(d)
		if open && d.leaf {
			w.handles.unuse(d)
		}
		return open && !d.leaf
	}
	if err := w.handles.use(d); err != nil {
		w.fail(d.up, d.name, d.copied, err)
		return false
	}
	return true
}

// copyBatch copies what others do not take of b, and gives it back.
func (w *worker) copyBatch(b *batch) {
	for {
		e := b.take()
		if e == nil {
			break
		}
		if w.stopped.Load() {
			w.drop(e)
			continue
		}
		w.copyEntry(b, e)
	}
	w.release(b)
}

// release gives up a batch. The last to do so ends it.
func (w *worker) release(b *batch) {
	if !w.queue.released(b) {
		return
	}
	d := b.in
	b.recycle()
	w.handles.unuse(d)
	w.left(d)
}

// drop closes what a scout has opened.
func (w *worker) drop(e *entry) {
	if e.fd >= 0 {
		_ = w.kernel.Close(e.fd)
	}
}

// copyEntry copies one entry of a batch.
func (w *worker) copyEntry(b *batch, e *entry) {
	it := &w.item
	*it = item{in: b.in, src: e.Name, dst: e.Name, kind: e.Type, fd: e.fd, out: -1, batch: b}
	it.follow = at.Follow(w.o.Follow == FollowAll)
	w.copyItem(it)
}

// copyItem copies it, and tells what became of it.
func (w *worker) copyItem(it *item) {
	if w.o.OnDone != nil {
		it.begun = time.Now()
	}
	w.found(it)
	w.kernel.Hold = w.pace.hold()
	err := w.copyKind(it)
	w.pace.done()
	if err != nil {
		w.fail(it.in, it.src, it.dst, err)
		if !it.kept {
			w.restore(it)
			return
		}
	}
	w.count(it)
}

// left says that one thing less keeps d from being finished, and finishes what
// can be, up to the base.
func (w *worker) left(d *dir) {
	for d.root == nil && d.open.Add(-1) == 0 {
		w.finish(d)
		w.queue.finished()
		d = d.up
	}
}
