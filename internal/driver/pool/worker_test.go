package pool

import (
	"fmt"
	"runtime"
	"sync"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/allocs"
)

// gated is a pool whose operations end only when the test lets them: each sends itself on began and
// then waits for a value from let.
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

// state returns counts that the pool guards by its mutex.
func (p *Pool) state() (queued, workers int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.queue.Len(), p.workers
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

// TestThreads checks that as many operations are performed at once as there are threads.
func TestThreads(t *testing.T) {
	const threads, ops = 5, 20
	g := newGated(t, Options{Threads: threads})
	for range ops {
		submit(t, g.Pool, new(driver.Op))
	}
	for range threads {
		<-g.began // waits forever if there are fewer
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
			break // an idle pool has no workers; the loop never ends if it keeps one
		}
		runtime.Gosched()
	}
}

// TestBatch checks that many workers perform a batch, although Submit starts one.
func TestBatch(t *testing.T) {
	g := newGated(t, Options{Threads: 8})
	ops := make([]*driver.Op, 8)
	for i := range ops {
		ops[i] = new(driver.Op)
	}
	submit(t, g.Pool, ops...)
	for range ops {
		<-g.began // waits forever if one operation waits for another
	}
}

// TestLastMoment submits while the only worker finds its queue empty, many times. It waits forever
// if Submit counts on a worker that is leaving.
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
	allocs.None(t, "16 operations", func() error {
		if n, err := p.Submit(ops); n != len(ops) || err != nil {
			return fmt.Errorf("Submit = %d, %w", n, err)
		}
		if n, err := p.Reap(done, len(ops)); n != len(ops) || err != nil {
			return fmt.Errorf("Reap = %d, %w", n, err)
		}
		return nil
	})
}
