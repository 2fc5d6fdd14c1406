package ioengine

import (
	"context"
	"sync/atomic"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/probe"
)

// RequestSet is a set of requests of one goroutine, its owner, which starts many of them and waits
// for whichever ends next. Only the owner may call the methods, unless their comments say
// otherwise.
//
// The owner queues a request with InSet set (Engine.Queue), and Submit or Next submits it at the
// latest. The request's Client calls End when no other operation follows.
//
// When the owner waits and no other goroutine leads the engine, it becomes the leader. While it
// does something else, the RequestSet's requests in flight are not reaped, unless the engine needs
// a leader for another reason (see Engine): docs/decisions/0014-read-many.md.
type RequestSet struct {
	e *Engine
	// Queued counts the requests of the RequestSet that the engine has. Whoever gives it a request
	// adds 1 before, and Completed of the request's Client subtracts 1.
	Queued atomic.Int32
	// started is the number of requests that were pushed and not submitted. batch is how many
	// are submitted together. Only the owner uses them.
	started, batch int

	mu     probe.Mutex
	ended  list.List[Request] // requests that have ended and that Next has not returned. Under mu
	parked parkState          // how the owner waits. Under mu
	wake   chan struct{}

	unwatch func() bool
	watched chan struct{} // closed once the function that watches the context has run
}

// parkState says how the owner waits, and so how it is woken.
type parkState uint8

const (
	awake   parkState = iota
	asleep            // receiving from wake
	reaping           // in the driver's Reap
)

// Init makes set a RequestSet without requests. All of its requests go through e, which Group.Next
// has returned. Next returns when ctx ends. The owner must close the RequestSet.
func (set *RequestSet) Init(ctx context.Context, e *Engine) {
	set.e, set.batch, set.wake = e, 1, make(chan struct{}, 1)
	if ctx.Done() != nil {
		set.watched = make(chan struct{})
		set.unwatch = context.AfterFunc(ctx, func() {
			set.mu.Lock()
			set.wakeOwner()
			set.mu.Unlock()
			close(set.watched)
		})
	}
}

// Engine returns the engine that all requests go through. Any goroutine may call it.
func (set *RequestSet) Engine() *Engine { return set.e }

// Close ends the RequestSet. None of its requests may be in progress.
func (set *RequestSet) Close() {
	if set.unwatch != nil && !set.unwatch() {
		<-set.watched
	}
	set.unwatch = nil
	if set.e != nil { // not closed yet
		set.e.sets.Add(-1)
		set.e = nil
	}
}

// Started notes that the owner has started a request of n bytes. It submits if there is a batch, or
// if the request is large: the kernel holds back the requests of a batch until it has prepared the
// last of them, and that takes long for large transfers.
func (set *RequestSet) Started(n int) {
	if set.started++; set.started >= set.batch || n >= driver.Large {
		set.Submit()
		// Batches are small, and begin with one operation: a device may end a batch in one go, and
		// be idle until the next one (docs/decisions/0014-read-many.md).
		set.batch = min(2*set.batch, minSubmitThreshold)
	}
}

// Submit submits the requests that were started and not submitted.
func (set *RequestSet) Submit() {
	if set.started > 0 {
		set.started = 0
		set.e.submitInbox()
	}
}

// Next waits for one of the requests in progress to end, and returns it. If ctx ends first, Next
// returns ctx's error. Only the end of the RequestSet's context wakes a goroutine that waits. So
// ctx must be that context, or one that never ends or has ended.
func (set *RequestSet) Next(ctx context.Context) (*Request, error) {
	for {
		if r := set.take(); r != nil {
			return r, nil
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		set.started, set.batch = 0, 1
		if set.Queued.Load() > 0 && set.e.state.CompareAndSwap(idle, running) {
			set.leadUntilEnded(ctx)
		} else {
			set.sleep(ctx)
		}
	}
}

// take returns a request that has ended, or nil where Next would wait.
func (set *RequestSet) take() *Request {
	set.mu.Lock()
	defer set.mu.Unlock()
	r := set.ended.Front()
	if r != nil {
		set.ended.Remove(&r.links)
	}
	return r
}

// leadUntilEnded makes the owner the engine's leader until one of the RequestSet's requests or ctx
// has ended. At least one request is queued, and the caller has set the state to running.
func (set *RequestSet) leadUntilEnded(ctx context.Context) {
	e := set.e
	e.leaders.Add(1)
	defer e.leaders.Done()
	for {
		e.giveUp()
		e.judge()
		if e.lost.Load() && set.Queued.Load() == 0 {
			break // the requests go on in another way; their ends wake an owner that sleeps
		}
		e.mu.Lock()
		e.stageLocked()
		e.mu.Unlock()
		if !set.park(reaping) || ctx.Err() != nil {
			break
		}
		ops := e.await()
		set.park(awake)
		e.complete(ops, false)
		if !set.park(awake) || ctx.Err() != nil {
			break
		}
		e.yield()
	}
	set.park(awake)
	e.stopLeading()
}

// sleep waits while another goroutine leads the engine, or while the engine has none of the
// RequestSet's requests.
func (set *RequestSet) sleep(ctx context.Context) {
	e := set.e
	e.submitInbox()
	if set.park(asleep) && ctx.Err() == nil {
		e.leaderRequests.Add(1) // there is a leader from now on while anything is in flight
		e.ensureLeader()
		probe.Receive(set.wake)
		e.leaderRequests.Add(-1)
		return
	}
	set.park(awake)
	select { // drain a wake-up that was sent before that
	case <-set.wake:
	default:
	}
}

// park notes how the owner is about to wait, or that it does not wait. It returns false if a
// request has ended, so that the owner need not wait. Before it waits the caller must ask its
// context: a context that ended before found nobody to wake.
func (set *RequestSet) park(how parkState) bool {
	set.mu.Lock()
	defer set.mu.Unlock()
	if set.ended.Len() > 0 {
		how = awake
	}
	set.parked = how
	return set.ended.Len() == 0
}

// wakeOwner wakes the owner if it waits. It must be called with mu held.
func (set *RequestSet) wakeOwner() {
	switch set.parked {
	case asleep:
		set.wake <- struct{}{}
	case reaping:
		set.e.drv.Wake()
	}
	set.parked = awake
}

// End adds a request that has ended, for Next, and wakes the owner. Any goroutine may call it.
func (set *RequestSet) End(r *Request) {
	set.mu.Lock()
	defer set.mu.Unlock()
	set.ended.PushBack(&r.links, r)
	set.wakeOwner()
}
