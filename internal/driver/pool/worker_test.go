package pool

import (
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// gated is a pool whose operations end only when they are let: each one that
// is performed sends itself on began and then waits for a value from let.
type gated struct {
	*Pool
	began chan *driver.Op
	let   chan struct{}
}

func newGated(t *testing.T, o Options) gated {
	t.Helper()
	p, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	g := gated{p, make(chan *driver.Op, 1000), make(chan struct{})}
	p.perform = func(op *driver.Op) {
		g.began <- op
		<-g.let
		op.Res = 7
	}
	t.Cleanup(func() {
		close(g.let)
		p.Close()
	})
	return g
}

func submit(t *testing.T, p *Pool, ops ...*driver.Op) {
	t.Helper()
	if n, err := p.Submit(ops); n != len(ops) || err != nil {
		t.Fatalf("Submit = %d, %v; want %d, nil", n, err, len(ops))
	}
}

func reap(t *testing.T, p *Pool) *driver.Op {
	t.Helper()
	done := make([]*driver.Op, 1)
	if n, err := p.Reap(done, 1); n != 1 || err != nil {
		t.Fatalf("Reap = %d, %v; want 1, nil", n, err)
	}
	return done[0]
}

// state is what the pool has under its mutex.
func (p *Pool) state() (queued, workers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue.n, p.workers
}

func TestOptions(t *testing.T) {
	for _, o := range []Options{{Threads: -1}, {Threads: maxThreads + 1}, {Depth: -1}} {
		if _, err := New(o); err == nil {
			t.Errorf("New(%+v) = nil; want an error", o)
		}
	}
	p, err := New(Options{})
	if err != nil {
		t.Fatal(err)
	}
	if i := p.Info(); i.Threads != defaultThreads || i.Depth != defaultDepth {
		t.Errorf("Info = %+v; want %d threads and a depth of %d", i, defaultThreads, defaultDepth)
	}
}

// TestThreads has as many operations performed at once as there are threads,
// no fewer and no more.
func TestThreads(t *testing.T) {
	const threads, ops = 5, 20
	g := newGated(t, Options{Threads: threads})
	for range ops {
		submit(t, g.Pool, new(driver.Op))
	}
	for range threads {
		<-g.began // hangs if there are fewer
	}
	if queued, workers := g.state(); queued != ops-threads || workers != threads {
		t.Errorf("%d are queued with %d workers; want %d and %d", queued, workers, ops-threads, threads)
	}
	for i := range ops {
		g.let <- struct{}{}
		if op := reap(t, g.Pool); op.Res != 7 {
			t.Errorf("Res = %d; want 7", op.Res)
		}
		if i < ops-threads {
			<-g.began
		}
		if len(g.began) > 0 {
			t.Fatalf("more than %d are performed at once", threads)
		}
	}
	for {
		if _, workers := g.state(); workers == 0 {
			break // an idle pool has no workers; hangs if it keeps some
		}
		runtime.Gosched()
	}
}

// TestBatch has a batch performed by many workers, though Submit starts one.
func TestBatch(t *testing.T) {
	g := newGated(t, Options{Threads: 8})
	ops := make([]*driver.Op, 8)
	for i := range ops {
		ops[i] = new(driver.Op)
	}
	submit(t, g.Pool, ops...)
	for range ops {
		<-g.began // hangs if one waits for another
	}
}

// TestCancel cancels the operations at the head, in the middle and at the end
// of the queue, one that is being performed and one that is done.
func TestCancel(t *testing.T) {
	var notes atomic.Int32
	g := newGated(t, Options{Threads: 1, Notify: func() { notes.Add(1) }})
	running := new(driver.Op)
	submit(t, g.Pool, running)
	<-g.began
	queued := make([]*driver.Op, 6)
	for i := range queued {
		queued[i] = &driver.Op{FD: int32(i)}
	}
	submit(t, g.Pool, queued...)
	g.Cancel(running)
	for i, at := range []int{5, 0, 2} {
		g.Cancel(queued[at])
		g.Cancel(queued[at])
		if op := reap(t, g.Pool); op != queued[at] || op.Res != -int32(syscall.ECANCELED) {
			t.Fatalf("reaped %+v; want number %d with ECANCELED", op, at)
		}
		if got := int(notes.Load()); got != i+1 {
			t.Errorf("Notify was called %d times; want %d", got, i+1)
		}
	}
	g.let <- struct{}{}
	if op := reap(t, g.Pool); op != running || op.Res != 7 {
		t.Errorf("reaped %+v; want the one that was being performed with its result", op)
	}
	for _, want := range []int{1, 3, 4} {
		g.let <- struct{}{}
		if op := reap(t, g.Pool); op != queued[want] || op.Res != 7 {
			t.Errorf("reaped %+v; want number %d", op, want)
		}
	}
}

// TestNotify drains a pool without ever waiting in Reap.
func TestNotify(t *testing.T) {
	const total = 1000
	notes := make(chan struct{}, total)
	p, err := New(Options{Threads: 4, Notify: func() { notes <- struct{}{} }})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	done, back := make([]*driver.Op, 1), 0
	for range total {
		submit(t, p, new(driver.Op))
		<-notes
		n, err := p.Reap(done, 0)
		if err != nil {
			t.Fatal(err)
		}
		back += n
	}
	if back != total {
		t.Errorf("reaped %d of %d, one after each Notify", back, total)
	}
}

// TestCloseWaits has Close perform what is queued, and wait for Notify.
func TestCloseWaits(t *testing.T) {
	var notes atomic.Int32
	p, err := New(Options{Threads: 2, Notify: func() { runtime.Gosched(); notes.Add(1) }})
	if err != nil {
		t.Fatal(err)
	}
	ops := make([]*driver.Op, 100)
	for i := range ops {
		ops[i] = &driver.Op{Code: driver.Read, FD: -1}
	}
	submit(t, p, ops...)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	for i, op := range ops {
		if op.Res != -int32(syscall.EBADF) || op.Next != nil {
			t.Fatalf("operation %d after Close: Res = %d, Next = %v; want EBADF, nil", i, op.Res, op.Next)
		}
	}
	if got := notes.Load(); got != 100 {
		t.Errorf("Notify was called %d times when Close returned; want 100", got)
	}
}

// TestLastMoment submits while the only worker finds its queue empty, over
// and over. It hangs if a worker that leaves is counted on.
func TestLastMoment(t *testing.T) {
	p, err := New(Options{Threads: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	var submitter sync.WaitGroup
	const total = 20000
	submitter.Go(func() {
		for range total {
			for {
				n, err := p.Submit([]*driver.Op{{}})
				if err != nil {
					t.Error(err)
					return
				}
				if n == 1 {
					break
				}
				runtime.Gosched()
			}
		}
	})
	for range total {
		reap(t, p)
	}
	submitter.Wait()
}

func TestNoAllocation(t *testing.T) {
	p, err := New(Options{Threads: 4})
	if err != nil {
		t.Fatal(err)
	}
	defer p.Close()
	ops, done := make([]*driver.Op, 16), make([]*driver.Op, 16)
	for i := range ops {
		ops[i] = new(driver.Op)
	}
	round := func() {
		p.Submit(ops)
		p.Reap(done, len(ops))
	}
	round()
	if got := testing.AllocsPerRun(1000, round); got >= 1 {
		t.Errorf("%v allocations for 16 operations; want 0", got)
	}
}
