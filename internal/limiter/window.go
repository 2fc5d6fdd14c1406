package limiter

import (
	"context"
	"time"

	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/probe"
	"github.com/sluiceio/sluice/internal/spare"
)

// Windows bounds, for each device and kind of call, how many calls are in progress whose
// context may end. Such a call cannot be withdrawn once it has begun. If the device does not
// answer, because its file system is frozen, say, the caller is kept beyond the end of its
// context. A caller that still waits for the window returns in time.
type Windows struct {
	now func() time.Duration

	// A probe.Mutex is a sync.Mutex. With the build tag sluice_probes, a test decides in which order
	// goroutines lock it.
	mu probe.Mutex
	of map[windowKey]*window // all that were ever used, of all devices. Under mu, as are the fields of each window

	unused spare.Pool[windowWaiter]
}

// windowKey names a window. A frozen file system answers reads but not writes, so each kind
// of call has its own.
type windowKey struct {
	device uint64
	kind   Kind
}

// window is the calls of one kind to one device. It opens as TCP's window does in slow
// start. It begins with room for LeastWindow calls. Each call that returns while others
// wait for the window makes room for one more. Each call that returns while less than half
// of the room is used takes one away. The window closes to LeastWindow when no call is in
// progress, and when none has returned for windowSilence. Why: docs/decisions/0004-limiter.md.
type window struct {
	all      *Windows
	size     int           // how many calls may be in progress
	inside   int           // how many calls are in progress
	answered time.Duration // when a call last returned, or the first of those in progress began
	queue    list.List[windowWaiter]
}

// windowWaiter is a goroutine that waits for room in a window.
type windowWaiter struct {
	ready chan struct{} // receives a value when the waiter has been let in
	links list.Node[windowWaiter]
}

func newWindowWaiter() *windowWaiter { return &windowWaiter{ready: make(chan struct{}, 1)} }

const (
	// LeastWindow is the number of calls that every window has room for. A Limiter with no
	// more permits than that needs no Windows.
	LeastWindow   = 4
	windowSilence = 100 * time.Millisecond
)

// Init sets the clock. It must be called before the first call.
func (w *Windows) Init(now func() time.Duration) { w.now, w.of = now, make(map[windowKey]*window) }

// AcquireInWindow is Acquire for a call that counts in the window of the device and the kind
// of call. It first waits until the window has room.
func (l *Limiter) AcquireInWindow(ctx context.Context, a *Windows, device uint64, kind Kind) (Permit, error) {
	w, err := a.enter(ctx, windowKey{device, kind})
	if err != nil {
		return Permit{}, err
	}
	p, err := l.Acquire(ctx, device, kind)
	if err != nil {
		w.leave(false)
		return Permit{}, err
	}
	p.window = w
	return p, nil
}

// enter takes room for a call in the window of k. If there is none it waits. If ctx ends
// first, it returns ctx's error.
func (w *Windows) enter(ctx context.Context, k windowKey) (*window, error) {
	w.mu.Lock()
	in := w.of[k]
	if in == nil {
		in = &window{all: w, size: LeastWindow}
		w.of[k] = in
	}
	if in.queue.Len() == 0 && in.hasRoom() {
		in.begin()
		w.mu.Unlock()
		return in, nil
	}
	x := w.unused.Get(newWindowWaiter)
	in.queue.PushBack(&x.links, x)
	w.mu.Unlock()
	err := in.await(ctx, x)
	w.unused.Put(x)
	return in, err
}

// await waits until x is let in or ctx ends. It returns ctx's error in the latter case.
func (w *window) await(ctx context.Context, x *windowWaiter) error {
	select {
	case <-x.ready:
		return nil
	case <-ctx.Done():
	}
	if !w.withdraw(x) {
		<-x.ready // it was let in meanwhile
		w.leave(false)
	}
	return ctx.Err()
}

// withdraw takes x out of the queue and reports whether it was there.
func (w *window) withdraw(x *windowWaiter) bool {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	if !w.queue.Has(&x.links) {
		return false
	}
	w.queue.Remove(&x.links)
	return true
}

// hasRoom reports whether another call may begin. It must be called with Windows.mu held.
func (w *window) hasRoom() bool {
	if w.inside >= LeastWindow && w.size > LeastWindow && w.all.now()-w.answered > windowSilence {
		w.size = LeastWindow
	}
	return w.inside < w.size
}

// begin counts a call that begins. It must be called with Windows.mu held.
func (w *window) begin() {
	if w.inside == 0 {
		w.answered = w.all.now()
	}
	w.inside++
}

// leave gives room back and lets waiters in. answered is false if the call was never made.
func (w *window) leave(answered bool) {
	w.all.mu.Lock()
	defer w.all.mu.Unlock()
	w.inside--
	if answered {
		w.answered = w.all.now()
		w.resize()
	}
	for w.queue.Len() > 0 && w.inside < w.size {
		x := w.queue.Front()
		w.queue.Remove(&x.links)
		w.begin()
		x.ready <- struct{}{}
	}
}

// resize adapts the size after a call has returned. It must be called with Windows.mu held.
func (w *window) resize() {
	switch {
	case w.queue.Len() > 0:
		w.size++
	case w.inside == 0:
		w.size = LeastWindow
	case w.inside < w.size/2:
		w.size = max(LeastWindow, w.size-1)
	}
}

// Waiting returns the number of callers that wait for room in any window.
func (w *Windows) Waiting() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.of {
		n += one.queue.Len()
	}
	return n
}

// InProgress returns the number of calls in progress in all windows.
func (w *Windows) InProgress() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, one := range w.of {
		n += one.inside
	}
	return n
}
