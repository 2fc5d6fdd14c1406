package sched

import (
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"testing"
)

// The wake-up protocol (engine) as a model: every order in which the steps of
// some pushers, of leaders and of a driver can be done is tried. A step is one
// access to what they share. Operation 0 is stuck until all others are done:
// the least that may happen to one is to wait for an unrelated one.
//
// What is changed in push, submitBeside, stage, await or submit is changed here.
// Operations that are tended are left out.

const (
	modelOps  = 3 // each with a pusher of its own; with 4 it takes a hundred times as long
	modelRoom = 2 // the driver's
	// modelLeads is how many leaders there are at once, at most: one leads, and
	// the others have retired and not ended yet.
	modelLeads = modelOps
	modelAll   = 1<<modelOps - 1
)

// modelWorld is what is shared, and where each thread is. Sets of operations
// are masks; the order of operations does not matter here.
type modelWorld struct {
	inbox, backlog, held, done, finished uint8
	state, inflight                      uint8
	crowded                              bool
	mu                                   int8 // its holder's number, or -1
	threads                              [modelOps + modelLeads]modelThread
}

type modelThread struct {
	at    modelStep
	batch uint8 // being submitted, or reaped
}

// modelStep is what a thread does next, named after what it is a part of.
type modelStep uint8

const (
	gone modelStep = iota // also of a leader that is not there

	pushPut
	pushState
	pushStart

	besideInbox
	besideCrowded
	besideRoom
	besideLock
	besideLed
	besideTake
	besideCount
	besidePut
	besideUnlock
	besideUnlockIdle

	stageTryLock
	stagePasses
	stageLock
	stageTake
	stageCount
	stagePut
	stageRetire
	stageUnlock
	stageUnlockRetired
	resumesInbox
	resumesState

	awaitBlocked
	awaitInbox
	awaitRoom
	awaitTryLock
	awaitUnlock
	awaitPasses
	awaitBack
	awaitReap
	awaitRunning
	complete
)

// explorer explores. Broken makes a mistake that there once was: who has held mu
// has asked for room before he let go of it.
type explorer struct {
	broken bool
	from   map[modelWorld]modelWorld // and so a way to each
}

// explore visits all that can follow from w, and returns the worlds in which
// nothing more can happen.
func (m *explorer) explore(w modelWorld) (ends []modelWorld) {
	m.from = map[modelWorld]modelWorld{w: w}
	for todo := []modelWorld{w}; len(todo) > 0; {
		w, todo = todo[len(todo)-1], todo[:len(todo)-1]
		next := m.next(w)
		if len(next) == 0 {
			ends = append(ends, w)
		}
		for _, n := range next {
			if _, known := m.from[n]; !known {
				m.from[n] = w
				todo = append(todo, n)
			}
		}
	}
	return ends
}

// next is what can follow w: a step of some thread, or of the driver.
func (m *explorer) next(w modelWorld) (next []modelWorld) {
	for i := range w.threads {
		switch n := w; {
		case w.threads[i].at == gone:
		case w.threads[i].at == pushState && w.state == running:
			n.threads[i].at = gone // the leader will see it
			next = append(next, n)
			n.threads[i].at = besideInbox // it is prompt, or makes a wave
			next = append(next, n)
		case w.threads[i].at < stageTryLock:
			n.push(i, m.broken)
			next = append(next, n)
		case n.lead(i):
			next = append(next, n)
		}
	}
	for op := uint8(1); op < modelAll; op <<= 1 {
		if w.held&op != 0 && (op != 1 || w.finished == modelAll&^1) {
			n := w
			n.held &^= op
			n.done |= op
			next = append(next, n)
		}
	}
	return next
}

// push is a step of pusher i, in push or submitBeside.
func (w *modelWorld) push(i int, broken bool) {
	t := &w.threads[i]
	switch t.at {
	case pushPut:
		w.inbox |= 1 << i
		t.at = pushState
	case pushState:
		t.at = pushStart
		if w.state == blocked {
			t.at = besideInbox
		}
	case pushStart:
		t.at = gone
		if w.state == idle {
			w.state = running
			w.start()
		}
	case besideInbox:
		t.at = besideCrowded
		if w.inbox != 0 {
			t.at = besideRoom
		}
	case besideCrowded:
		t.at = gone
		if w.crowded && !broken {
			t.at = besideRoom
		}
	case besideRoom:
		t.at = gone
		if w.hasRoom() {
			t.at = besideLock
		}
	case besideLock:
		t.at = gone
		if w.lock(i) {
			t.at = besideLed
		}
	case besideLed:
		t.at = besideUnlockIdle
		if w.state != idle {
			t.at = besideTake
		}
	case besideUnlock:
		w.mu = -1
		t.at = besideInbox
	case besideUnlockIdle:
		w.mu = -1
		t.at = gone
	default:
		w.submit(t, besideTake, besideUnlock)
	}
}

// submit is a step of submit, whose first is take. Then comes the step after.
func (w *modelWorld) submit(t *modelThread, take, after modelStep) {
	switch t.at - take {
	case 0: // take
		w.backlog |= w.inbox
		w.inbox = 0
		for w.backlog != 0 && int(w.inflight)+bits.OnesCount8(t.batch) < modelRoom {
			oldest := w.backlog & -w.backlog
			w.backlog &^= oldest
			t.batch |= oldest
		}
		t.at = take + 1
	case 1: // count
		w.crowded = w.backlog != 0
		w.inflight += uint8(bits.OnesCount8(t.batch))
		t.at = take + 2
	case 2: // put
		w.held |= t.batch
		t.batch = 0
		t.at = after
	}
}

// lead is a step of the leader i, in loop, if it can make one.
func (w *modelWorld) lead(i int) bool {
	t := &w.threads[i]
	switch t.at {
	case stageTryLock:
		t.at = stagePasses
		if w.lock(i) {
			t.at = stageTake
		}
	case stagePasses:
		t.at = stageLock
		if w.inflight > 0 {
			t.at = awaitBlocked
		}
	case stageLock:
		if !w.lock(i) {
			return false
		}
		t.at = stageTake
	case stageTake, stageCount, stagePut:
		w.submit(t, stageTake, stageRetire)
	case stageRetire:
		t.at = stageUnlock
		if w.inflight == 0 && w.backlog == 0 {
			w.state = idle
			t.at = stageUnlockRetired
		}
	case stageUnlock:
		w.mu = -1
		t.at = awaitBlocked
	case stageUnlockRetired:
		w.mu = -1
		t.at = resumesInbox
	case resumesInbox:
		t.at = gone
		if w.inbox != 0 {
			t.at = resumesState
		}
	case resumesState:
		t.at = gone
		if w.state == idle {
			w.state = running
			t.at = stageTryLock
		}
	default:
		return w.await(i)
	}
	return true
}

// await is a step of the leader i, in await or complete, if it can make one.
func (w *modelWorld) await(i int) bool {
	t := &w.threads[i]
	switch t.at {
	case awaitBlocked:
		w.state = blocked
		t.at = awaitInbox
	case awaitInbox:
		t.at = awaitReap
		if w.inbox != 0 {
			t.at = awaitRoom
		}
	case awaitRoom:
		t.at = awaitReap
		if w.hasRoom() {
			t.at = awaitTryLock
		}
	case awaitTryLock:
		t.at = awaitPasses
		if w.lock(i) {
			t.at = awaitUnlock
		}
	case awaitUnlock:
		w.mu = -1
		t.at = awaitBack
	case awaitPasses:
		t.at = awaitBack
		if w.inflight > 0 {
			t.at = awaitReap
		}
	case awaitBack:
		w.state = running
		t.at = stageTryLock
	case awaitReap:
		if w.done == 0 {
			return false
		}
		t.batch, w.done = w.done, 0
		t.at = awaitRunning
	case awaitRunning:
		w.state = running
		t.at = complete
	case complete:
		w.inflight -= uint8(bits.OnesCount8(t.batch))
		w.finished |= t.batch
		t.batch = 0
		t.at = stageTryLock
	}
	return true
}

func (w *modelWorld) hasRoom() bool { return w.inflight < modelRoom }

func (w *modelWorld) lock(i int) bool {
	if w.mu >= 0 {
		return false
	}
	w.mu = int8(i)
	return true
}

// start adds a leader.
func (w *modelWorld) start() {
	for i := modelOps; i < len(w.threads); i++ {
		if w.threads[i].at == gone {
			w.threads[i].at = stageTryLock
			return
		}
	}
	panic("model: too many leaders have not ended")
}

func newModelWorld() (w modelWorld) {
	w.mu = -1
	for i := range modelOps {
		w.threads[i].at = pushPut
	}
	return w
}

// In every order of steps each operation is done, and no leader is left.
func TestEveryOrderOfTheProtocol(t *testing.T) {
	m := new(explorer)
	ends := m.explore(newModelWorld())
	t.Logf("%d worlds", len(m.from))
	for _, w := range ends {
		if w.finished != modelAll || w.state != idle || w.inflight != 0 {
			t.Fatalf("operations are left behind:\n%s", m.way(w))
		}
	}
}

// The model finds the mistake that there once was.
func TestTheModelFindsAMistake(t *testing.T) {
	m := &explorer{broken: true}
	left := func(w modelWorld) bool { return w.finished != modelAll }
	if !slices.ContainsFunc(m.explore(newModelWorld()), left) {
		t.Error("a submitter that does not look at the backlog loses nothing")
	}
}

// way is how w came about, a step a line.
func (m *explorer) way(w modelWorld) string {
	var lines []string
	for m.from[w] != w {
		lines = append(lines, w.String())
		w = m.from[w]
	}
	slices.Reverse(lines)
	return strings.Join(lines, "\n")
}

func (w modelWorld) String() string {
	return fmt.Sprintf("%+v", struct {
		inbox, backlog, held, done, finished string
		state, inflight                      uint8
		crowded                              bool
		mu                                   int8
		threads                              [modelOps + modelLeads]modelThread
	}{mask(w.inbox), mask(w.backlog), mask(w.held), mask(w.done), mask(w.finished), w.state, w.inflight, w.crowded, w.mu, w.threads})
}

func mask(ops uint8) string { return fmt.Sprintf("%04b", ops) }
