package sched

import (
	"context"
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// The tests here notice when a threshold is switched off. They say what it brings
// about, and not its number, which is measured: docs/decisions.

// What the goroutines push that a leader has made ready travels in one batch, with
// the leader's next wait.
func TestLeaderSubmitsWhatItsResultsBring(t *testing.T) {
	hang.Watch(t)
	const n = 3 // fewer than are submitted without the leader
	d := script.New(8)
	s := New(d.Staging(), queueAll)
	f := iopath.NewFile(1<<20, true, false)
	var first, second [n]Transfer
	for i := range first {
		first[i].Ended = func(bool) { s.StartRead(&second[i], f, make([]byte, 10), 100, 0) }
		s.StartRead(&first[i], f, make([]byte, 10), 0, 0)
	}
	d.Until(func() bool { return len(d.Held) == n })
	before := s.Stats().Batches
	d.Mu.Lock()
	for i := range first {
		d.Finish(&first[i].r.Op, 10)
	}
	d.Mu.Unlock()
	d.Until(func() bool { return len(d.Held) == n })
	if got := s.Stats().Batches - before; got != 1 {
		t.Errorf("%d batches of what %d results have brought; want 1", got, n)
	}
	for i := range second {
		d.Answer(&second[i].r.Op, 10)
		for _, tr := range []*Transfer{&first[i], &second[i]} {
			if m, err := tr.Wait(t.Context()); m != 10 || err != nil {
				t.Errorf("Wait = %d, %v; want 10, nil", m, err)
			}
		}
	}
	s.Close()
}

// A TransferSet's owner that starts many submits some at a time; after a wait, and for a
// large read, at once.
func TestGroupSubmitsSomeAtATime(t *testing.T) {
	hang.Watch(t)
	d := script.New(256)
	d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), op.Off == 1 }
	s := New(d.Staging(), queueAll)
	f := iopath.NewFile(1<<20, true, false)
	g := s.NewTransferSet(t.Context(), iopath.NewFile(1<<20, true, false))
	most, started := 0, 0
	start := func(n int, off int64) {
		started++
		if !g.StartRead(new(Transfer), f, make([]byte, n), off, 0) {
			t.Fatal("not started")
		}
		most = max(most, started-len(d.Seen))
	}
	for range 100 {
		start(10, 0)
	}
	if n := s.Stats().Batches; n > int64(len(d.Seen))/2 {
		t.Errorf("%d reads in %d batches; want several in one", len(d.Seen), n)
	}
	if most > 16 {
		t.Errorf("up to %d reads wait to be submitted; want few", most)
	}
	for started == len(d.Seen) {
		start(10, 0)
	}
	if start(largeRead, 1); started != len(d.Seen) {
		t.Error("a large read, and what was started before it, is not submitted at once")
	}
	if _, err := g.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if start(10, 2); started != len(d.Seen) {
		t.Error("the first read after a wait is not submitted at once")
	}
	for len(d.Held) > 0 {
		d.Answer(d.Held[0], 10)
		if _, err := g.Next(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	g.Close()
	s.Close()
}

// Which reads are plain calls. TestPermitInline has more of the small ones.
func TestPermitPlainRead(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const direct, buffered = true, false
	for _, c := range []struct {
		name   string
		direct bool
		n      int
		queued int32
		used   int // permits taken
		want   bool
	}{
		{"small", direct, 10, 0, 0, true},
		{"small beside as many as may be", direct, 10, 0, 1, false},
		{"small beside the queue", direct, 10, 1, 0, false},
		{"small and buffered, beside one", buffered, 10, 0, 1, true},
		{"small and buffered, beside as many as may be", buffered, 10, 1, 1, false},
		{"large", buffered, largeRead, 0, 0, true},
		{"large beside the queue", buffered, largeRead, 1, 0, true},
		{"large beside a small one", buffered, largeRead, 1, 1, true},
		{"large beside as many as may be", buffered, largeRead, 0, 2, false},
		{"large and direct, beside one", direct, largeRead, 0, 1, true},
		{"large and direct, beside the queue", direct, largeRead, 1, 0, false},
		{"large and direct, beside as many as may be", direct, largeRead, 0, 2, false},
	} {
		s := New(script.New(8), Limits{InlineReads: 1, InlineBufferedReads: 2, Threads: 8})
		f := iopath.NewFile(1<<20, c.direct, false)
		s.QueuedOps.Store(c.queued)
		for range c.used {
			s.hold()
		}
		if _, ok := s.permitPlainRead(context.Background(), f, c.n); ok != c.want {
			t.Errorf("%s: a plain call %t; want %t", c.name, ok, c.want)
		}
		if _, ok := s.permitPlainRead(t.Context(), f, c.n); ok {
			t.Errorf("%s: a plain call although it may be cancelled", c.name)
		}
	}
	runtime.GOMAXPROCS(1)
	s := New(script.New(8), Limits{InlineReads: 1, InlineBufferedReads: 2, Threads: 8})
	s.hold()
	if _, ok := s.permitPlainRead(context.Background(), iopath.NewFile(1<<20, true, false), largeRead); ok {
		t.Error("a second large direct read is a plain call on one processor")
	}
}

// A write that the driver could queue is a plain call while few threads wait and
// few operations are queued.
func TestPermitPlainWrite(t *testing.T) {
	s := New(script.New(8), Limits{InlineWrites: 2, Threads: 8})
	f := iopath.NewFile(1<<20, true, false)
	var last budget.Permit
	for i, want := range []bool{true, true, false} {
		p, ok := s.permitPlainWrite(context.Background(), f)
		if ok != want {
			t.Errorf("write %d is a plain call: %t; want %t", i+1, ok, want)
		}
		if ok {
			last = p
		}
	}
	for queued, want := range map[int32]bool{fewQueued: true, fewQueued + 1: false} {
		last.Release()
		s.QueuedOps.Store(queued)
		p, ok := s.permitPlainWrite(context.Background(), f)
		last = p
		if ok != want {
			t.Errorf("with %d operations queued a write is a plain call: %t; want %t", queued, ok, want)
		}
	}
	s.AsyncDirect[driver.Write] = false
	if _, ok := s.permitPlainWrite(context.Background(), f); !ok {
		t.Error("a write that the driver cannot queue is not a plain call")
	}
}

// With Limits.BesideQueue operations are plain calls beside any number of queued ones, as long as fewer than the
// limit are, and the processors are more than that.
func TestBesideQueue(t *testing.T) {
	for _, c := range []struct {
		name       string
		processors int
		beside     bool
		used       int // permits taken
		want       bool
	}{
		{"few", 6, true, 2, true},
		{"as many as may be", 6, true, 3, false},
		{"as many processors as there may be", 3, true, 2, false},
		{"not set", 6, false, 2, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
			for name, permit := range map[string]func(s *Scheduler, direct, buffered *File) (budget.Permit, bool){
				"ReadAt": func(s *Scheduler, direct, _ *File) (budget.Permit, bool) {
					return s.permitPlainRead(context.Background(), direct, 10)
				},
				"buffered ReadAt": func(s *Scheduler, _, buffered *File) (budget.Permit, bool) {
					return s.permitPlainRead(context.Background(), buffered, 10)
				},
				"buffered Read": func(s *Scheduler, _, buffered *File) (budget.Permit, bool) { return s.permitReadCurrent(buffered, 10) },
				"direct WriteAt": func(s *Scheduler, direct, _ *File) (budget.Permit, bool) {
					return s.permitPlainWrite(context.Background(), direct)
				},
			} {
				s := New(script.New(8), Limits{
					InlineReads: 3, InlineBufferedReads: 3, InlineWrites: 3, BesideQueue: c.beside, Threads: 8,
				})
				s.inline.yield = func() { t.Errorf("%s yields", name) }
				s.inline.candidates.Store(yieldEvery - 1)
				s.QueuedOps.Store(100)
				for range c.used {
					s.hold()
				}
				if _, ok := permit(s, iopath.NewFile(1<<20, true, false), iopath.NewFile(1<<20, false, false)); ok != c.want {
					t.Errorf("%s is a plain call: %t; want %t", name, ok, c.want)
				}
			}
		})
	}
}
