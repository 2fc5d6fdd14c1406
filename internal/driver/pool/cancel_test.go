package pool

import (
	"runtime"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/list"
)

// TestCancel cancels operations at the head, in the middle and at the end of the queue, one that is
// being performed and one that is done.
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
	last := new(driver.Op) // comes after number 4, as 5 is gone
	submit(t, g.Pool, last)
	queued = append(queued, last)
	g.let <- struct{}{}
	if op := reap(t, g.Pool); op != running || op.Res != 7 {
		t.Errorf("reaped %+v; want the one that was being performed with its result", op)
	}
	for _, want := range []int{1, 3, 4, 6} {
		g.let <- struct{}{}
		if op := reap(t, g.Pool); op != queued[want] || op.Res != 7 {
			t.Errorf("reaped %+v; want number %d", op, want)
		}
	}
}

// TestNotify reaps a pool without ever waiting in Reap.
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

// TestCloseWaits checks that Close performs queued operations, and waits for Notify.
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
		if op.Res != -int32(syscall.EBADF) || op.Links != (list.Node[driver.Op]{}) {
			t.Fatalf("operation %d after Close: Res = %d, %+v; want EBADF, in no list", i, op.Res, op.Links)
		}
	}
	if got := notes.Load(); got != 100 {
		t.Errorf("Notify was called %d times when Close returned; want 100", got)
	}
}

// BenchmarkCancel cancels a thousand operations that wait for a worker, the newest first.
func BenchmarkCancel(b *testing.B) {
	const waiting = 1000
	p, err := New(Options{Threads: 1, Depth: waiting + 1})
	if err != nil {
		b.Fatal(err)
	}
	began, let := make(chan struct{}), make(chan struct{})
	p.perform = func(*driver.Op) { began <- struct{}{}; <-let }
	ops, done := make([]*driver.Op, waiting), make([]*driver.Op, waiting)
	for i := range ops {
		ops[i] = new(driver.Op)
	}
	p.Submit([]*driver.Op{{}})
	<-began
	b.ReportAllocs()
	for b.Loop() {
		p.Submit(ops)
		for i := range ops {
			p.Cancel(ops[waiting-1-i])
		}
		if n, err := p.Reap(done, waiting); n != waiting || err != nil {
			b.Fatal(n, err)
		}
	}
	let <- struct{}{}
	p.Close()
}
