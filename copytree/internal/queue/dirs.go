package queue

import (
	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

// Add queues directories that id has found. The last one is taken first. fresh of them are new; the
// rest were in the queue before.
func (q *Queue) Add(id int, found []*dirs.Dir, fresh int) {
	if len(found) == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.found[id] = append(q.found[id], found...)
	q.waiting += len(found)
	q.unfinished += fresh
	if q.cold {
		q.ahead.Broadcast()
	} else {
		q.work.Broadcast()
	}
}

// Waiting returns the number of directories that wait to be read.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}

// takeDir takes a directory for id, or returns nil. It must be called with mu held.
func (q *Queue) takeDir(id int) *dirs.Dir {
	if q.waiting == 0 {
		return nil
	}
	q.waiting--
	if own := q.found[id]; len(own) > 0 {
		d := own[len(own)-1]
		own[len(own)-1] = nil
		q.found[id] = own[:len(own)-1]
		return d
	}
	most := 0
	for i := range q.found {
		if len(q.found[i]) > len(q.found[most]) {
			most = i
		}
	}
	d := q.found[most][0]
	q.found[most][0] = nil
	q.found[most] = q.found[most][1:]
	return d
}

// NextDir returns the next directory for a prefetcher to read. It returns nil when the tree is
// finished or Stop was called. Without wait it also returns nil instead of waiting.
func (q *Queue) NextDir(id int, wait bool) *dirs.Dir {
	q.mu.Lock()
	defer q.mu.Unlock()
	for q.unfinished > 0 && !q.Stopped() {
		if q.cold && q.openAhead < q.OpenAhead {
			if d := q.takeDir(id); d != nil {
				return d
			}
		}
		if !wait {
			return nil
		}
		q.ahead.Wait()
	}
	return nil
}

// Finished counts a directory as finished.
func (q *Queue) Finished() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.unfinished--; q.unfinished == 0 {
		q.wakeAll()
	}
}
