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
	// maxSubmitters is the most devices whose writes are submitted at a time, each by a goroutine,
	// which holds a thread.
	maxSubmitters = 16
	// maxWriteBatch is the most writes of one io_submit. If one of them blocks, the writes behind
	// it cannot be withdrawn.
	maxWriteBatch = 4
	// stuckFor is the time without a taken write after which a submitter is stuck. A timer notices
	// it after one to two periods.
	stuckFor = 5 * time.Millisecond
)

// submitters call io_submit for direct writes. Each device with writes has a goroutine for that.
// io_submit blocks for a write to a frozen file system until it is thawed, and for a write to a
// device with a full queue. In that time the writes that are queued here can still be withdrawn,
// and other devices go on.
type submitters struct {
	q *Queue
	// submit calls io_submit. It is a field so that a test can hold it back.
	submit func(batch []*sys.Iocb)

	mu      sync.Mutex
	devices [maxSubmitters]submitter // guarded by mu, as are the next three fields
	queued  int                      // writes in all queues
	timed   bool                     // the timer that calls relieve is set
	// slots has the write of each slot. The goroutines do not touch the operations themselves:
	// before io_submit returns, the kernel may have completed them, and their callers may have
	// changed them.
	slots      []queuedWrite
	goroutines sync.WaitGroup // goroutines and timers
}

// queuedWrite is the write in a slot.
type queuedWrite struct {
	iocb  *sys.Iocb
	links list.Node[queuedWrite] // in submitter.queue
}

// submitter submits the writes to one device.
type submitter struct {
	device      uint64
	running     bool                   // its goroutine has not ended
	taken       int                    // the number of times that it has taken writes
	takenBefore int                    // taken, at the last call of relieve
	stuck       bool                   // it has taken no write between two of these calls
	queue       list.List[queuedWrite] // not submitted yet
	batch       []*sys.Iocb            // used by the goroutine alone
	start       func()                 // calls run; made once, as a method value allocates
}

func (s *submitters) init(q *Queue) {
	s.q, s.slots = q, make([]queuedWrite, q.depth)
	for i := range s.slots {
		s.slots[i].iocb = &q.iocbs[i]
	}
	s.submit = func(batch []*sys.Iocb) { q.submit(batch, q.divertNow) }
	for i := range s.devices {
		u := &s.devices[i]
		u.batch = make([]*sys.Iocb, 0, maxWriteBatch)
		u.start = func() { s.run(u) }
	}
}

// add queues the write in a slot, whose iocb is prepared. It returns false, and queues nothing, in
// two cases: all submitters have other devices, or the device's submitter is stuck and stuck ones
// have as many writes as room allows.
func (s *submitters) add(slot uint32, device uint64) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u := s.find(device)
	if u == nil || u.stuck && s.queued >= s.maxQueued() {
		return false
	}
	w := &s.slots[slot]
	u.queue.PushBack(&w.links, w)
	s.queued++
	if !u.running {
		u.device, u.running = device, true
		u.taken++ // the new goroutine gets all of stuckFor
		s.goroutines.Add(1)
		go u.start()
	}
	s.watch()
	return true
}

// maxQueued returns the number of slots for queued writes while submitters are stuck. The other
// slots are for devices that take their writes.
func (s *submitters) maxQueued() int { return len(s.slots) / 2 }

// watch sets the timer, if too many writes are queued. mu is held.
func (s *submitters) watch() {
	if !s.timed && s.queued > s.maxQueued() {
		s.timed = true
		s.goroutines.Add(1)
		time.AfterFunc(stuckFor, s.relieve)
	}
}

// relieve is the timer's function. It diverts writes of stuck submitters until there is room
// enough.
func (s *submitters) relieve() {
	defer s.goroutines.Done()
	for _, op := range s.excess() {
		s.q.divertNow(op)
	}
	s.q.notifyFinished()
}

// excess takes writes out of the queues of stuck submitters, the newest first.
func (s *submitters) excess() (out []*driver.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.devices {
		u := &s.devices[i]
		u.stuck = u.running && u.takenBefore == u.taken
		u.takenBefore = u.taken
		for u.stuck && u.queue.Len() > 0 && s.queued > s.maxQueued() {
			w := u.queue.Back()
			s.remove(u, w)
			out = append(out, s.q.slots.at(w.iocb.Data))
		}
	}
	s.timed = false
	s.watch()
	return out
}

// find returns the submitter of a device, or an unused one, or nil if all have other devices. mu is
// held.
func (s *submitters) find(device uint64) *submitter {
	var unused *submitter
	for i := range s.devices {
		u := &s.devices[i]
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
	defer s.goroutines.Done()
	for s.take(u) {
		s.submit(u.batch)
		s.q.notifyFinished()
	}
}

// take takes the next writes out of u's queue. If there are none, u's goroutine ends.
func (s *submitters) take(u *submitter) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	u.batch = u.batch[:0]
	u.taken, u.stuck = u.taken+1, false
	for u.queue.Len() > 0 && len(u.batch) < maxWriteBatch {
		w := u.queue.Front()
		s.remove(u, w)
		u.batch = append(u.batch, w.iocb)
	}
	u.running = len(u.batch) > 0
	return u.running
}

// remove takes w out of u's queue. mu is held.
func (s *submitters) remove(u *submitter, w *queuedWrite) {
	u.queue.Remove(&w.links)
	s.queued--
}

// cancel ends op if it is in a queue.
func (s *submitters) cancel(op *driver.Op) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := &s.slots[op.Token]
	for i := range s.devices {
		// The slot may be another operation's by now.
		if u := &s.devices[i]; u.queue.Has(&w.links) && s.q.slots.at(op.Token) == op {
			s.remove(u, w)
			s.q.finished.put(op, ecanceled)
			s.q.notifier.notify()
		}
	}
}
