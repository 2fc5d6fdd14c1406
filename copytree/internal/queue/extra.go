package queue

import "sync"

// Extra workers copy in place of workers that wait. A worker that copies a large
// file which the page cache lacks waits for the disk most of the time, and a disk
// is only busy with several such files at once. Small files come from prefetchers,
// and more workers than processors would only disturb each other there. So for
// each large file that is being copied while the tree is cold, one extra worker
// may copy a batch.
type extra struct {
	work  sync.Cond // wakes extra workers: there is a batch, or a large file
	large int       // large files that are being copied. Under Queue.mu
	busy  int       // extra workers that copy a batch. Under Queue.mu
}

// NextExtra returns a batch for an extra worker, which calls DoneExtra after it. It
// waits for one, and returns nil when the tree is finished or Stop was called.
func (q *Queue) NextExtra() *Batch {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.unfinished > 0 && !q.Stopped() {
		if q.cold && q.extra.busy < q.extra.large {
			if b := q.takeBatch(); b != nil {
				q.extra.busy++
				return b
			}
		}
		q.extra.work.Wait()
	}
	return nil
}

// DoneExtra ends an extra worker's batch.
func (q *Queue) DoneExtra() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.extra.busy--
}

// BeginLarge counts a large file that is being copied and that the page cache may
// lack. EndLarge must follow.
func (q *Queue) BeginLarge() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.extra.large++
	q.extra.work.Signal()
}

// EndLarge ends a BeginLarge.
func (q *Queue) EndLarge() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.extra.large--
}
