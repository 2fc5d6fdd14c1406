//go:build amd64 || arm64

package aio

import (
	"sync"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/sys"
)

const (
	// submittersMost is the most devices whose writes are submitted at a time, each by a
	// thread.
	submittersMost = 16
	// writesAtOnce is the most writes that one io_submit is given: those behind one that
	// blocks cannot be withdrawn.
	writesAtOnce = 4
	// stuckFor is how long a submitter takes no writes to be stuck. It is noticed after one
	// to two times as long.
	stuckFor = 5 * time.Millisecond
)

// submitters call io_submit for direct writes. Each device has a goroutine for that while
// there are writes to it. A write to a frozen file system blocks in io_submit until the
// thaw, and a write to a device that takes no more until it does. Meanwhile the
// writes behind it can still be withdrawn, and the other devices go on.
type submitters struct {
	q *Queue
	// submit makes io_submit: a field so that a test can hold it back.
	submit func(batch []*sys.Iocb)

	mu     sync.Mutex
	all    [submittersMost]submitter // under mu, as are the next three fields
	queued int                       // writes in their queues
	timed  bool                      // a timer is set, which calls relieve
	// slots are the writes, by slot. The goroutines leave the operations themselves alone:
	// the kernel may have ended them, and their owners changed them, before io_submit returns.
	slots []slotted
	live  sync.WaitGroup // goroutines and timers
}

// slotted is the write in a slot.
type slotted struct {
	iocb  *sys.Iocb
	links list.Node[slotted] // in submitter.queue
}

// submitter is a device's.
type submitter struct {
	device  uint64
	running bool               // its goroutine has not ended
	took    int                // how often it has taken writes
	seen    int                // took, when the last timer ended
	stuck   bool               // it has taken none between two timers
	queue   list.List[slotted] // not given to io_submit yet
	batch   []*sys.Iocb        // the goroutine's
	start   func()             // run, made once: a method value allocates
}

func (s *submitters) init(q *Queue) {
	s.q, s.slots = q, make([]slotted, q.depth)
	for i := range s.slots {
		s.slots[i].iocb = &q.iocbs[i]
	}
	s.submit = func(batch []*sys.Iocb) { q.submit(batch, q.divertNow) }
	for i := range s.all {
		u := &s.all[i]
		u.batch = make([]*sys.Iocb, 0, writesAtOnce)
		u.start = func() { s.run(u) }
	}
}

// add queues the write in a slot, which is to device and has its iocb. It reports false, and the
// write is not queued, if other devices have all submitters, or if the device's is
// stuck and there is no room for queued writes.
func (s *submitters) add(slot uint32, device uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.of(device)
	if u == nil || u.stuck && s.queued >= s.room() {
		return false
	}
	w := &s.slots[slot]
	u.queue.PushBack(&w.links, w)
	s.queued++
	if !u.running {
		u.device, u.running = device, true
		u.took++ // the goroutine that is started here has all of stuckFor
		s.live.Add(1)
		go u.start()
	}
	s.watch()
	return true
}

// room is how many slots queued writes may have while submitters are stuck: the others are
// for devices that take their writes.
func (s *submitters) room() int { return len(s.slots) / 2 }

// watch sets the timer, while there is no room. Under mu.
func (s *submitters) watch() {
	if !s.timed && s.queued > s.room() {
		s.timed = true
		s.live.Add(1)
		time.AfterFunc(stuckFor, s.relieve)
	}
}

// relieve is what the timer calls: it diverts writes of submitters that are stuck until there
// is room.
func (s *submitters) relieve() {
	defer s.live.Done()
	for _, op := range s.excess() {
		s.q.divertNow(op)
	}
	s.q.ringEarly()
}

// excess takes writes out of the queues of submitters that are stuck, the newest first.
func (s *submitters) excess() (out []*driver.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.all {
		u := &s.all[i]
		u.stuck = u.running && u.seen == u.took
		u.seen = u.took
		for u.stuck && u.queue.Len() > 0 && s.queued > s.room() {
			w := u.queue.Back()
			s.remove(u, w)
			out = append(out, s.q.slots.at(w.iocb.Data))
		}
	}
	s.timed = false
	s.watch()
	return out
}

// of returns the submitter of a device, or one that no device has; nil if there is
// neither. Under mu.
func (s *submitters) of(device uint64) *submitter {
	var unused *submitter
	for i := range s.all {
		u := &s.all[i]
		switch {
		case !u.running:
			unused = u
		case u.device == device:
			return u
		}
	}
	return unused
}

// run is a submitter's goroutine.
func (s *submitters) run(u *submitter) {
	defer s.live.Done()
	for s.take(u) {
		s.submit(u.batch)
		s.q.ringEarly()
	}
}

// take takes the next writes out of u's queue. If there are none, u's goroutine ends.
func (s *submitters) take(u *submitter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.batch = u.batch[:0]
	u.took, u.stuck = u.took+1, false
	for u.queue.Len() > 0 && len(u.batch) < writesAtOnce {
		w := u.queue.Front()
		s.remove(u, w)
		u.batch = append(u.batch, w.iocb)
	}
	u.running = len(u.batch) > 0
	return u.running
}

// remove takes w out of u's queue. Under mu.
func (s *submitters) remove(u *submitter, w *slotted) {
	u.queue.Remove(&w.links)
	s.queued--
}

// cancel ends op, if it is in a queue.
func (s *submitters) cancel(op *driver.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.slots[op.Token]
	for i := range s.all {
		// Op may have come back, and its slot be another's.
		if u := &s.all[i]; u.queue.Has(&w.links) && s.q.slots.at(op.Token) == op {
			s.remove(u, w)
			s.q.early.put(op, ecanceled)
			s.q.bell.ring()
		}
	}
}
