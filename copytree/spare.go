package copytree

import "sync"

// A spare is a worker in place of those that wait. Who copies a large file that
// the caches lack waits for the disk for most of the time, and a disk is busy only
// with several such files at once; small ones come from scouts, and more workers
// than processors would only be in each other's way. So for each large file that
// is being copied while scouts run, one spare may copy a batch.

// spares is what the queue knows of them.
type spares struct {
	work  sync.Cond // for a spare: a batch, or a large file
	large int       // large files that are being copied. Under queue.mu
	busy  int       // spares that copy. Under queue.mu
}

// stand copies in place of others until there is nothing left.
func (w *worker) stand() {
	w.pace.rest(true)
	for {
		b := w.queue.nextSpare(w.job)
		if b == nil {
			return
		}
		w.copyBatch(b)
		w.queue.stood()
	}
}

// nextSpare returns a batch for a spare to copy, waiting for it. It returns nil
// when all is done or the copy was stopped.
func (q *queue) nextSpare(j *job) *batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.left > 0 && !j.stopped.Load() {
		if q.cold && q.busy < q.large {
			if b := q.batch(); b != nil {
				q.busy++
				return b
			}
		}
		q.spares.work.Wait()
	}
	return nil
}

// stood says that a spare has copied its batch.
func (q *queue) stood() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.busy--
}

// beginLarge says that a large file is being copied which the caches may lack,
// and endLarge that it was.
func (q *queue) beginLarge() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.large++
	q.spares.work.Signal()
}

func (q *queue) endLarge() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.large--
}
