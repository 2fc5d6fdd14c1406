package sched

import (
	"context"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// isolated is the context of a Batch.
func isolated(ctx context.Context) *IsolatedContext { return &IsolatedContext{Context: ctx} }

// While calls of others have all permits, each Batch may make one call, up to mostBeside Batches.
// When one of them has ended, the next of the same Batch goes on, or else another Batch. All of
// them end, and nothing is counted then.
func TestCallsBesideOthers(t *testing.T) {
	hang.Watch(t)
	s := newOn(script.New(8), Options{})
	n := &s.names
	var taken []budget.Permit
	for {
		p, ok := n.all.TryAcquire(Reads)
		if !ok {
			break
		}
		taken = append(taken, p)
	}
	var batches []*IsolatedContext
	var calls []NamedCall
	for range mostBeside {
		c := isolated(t.Context())
		p, err := s.BeginNamed(c, Changes)
		if err != nil || p.beside != c {
			t.Fatalf("a Batch may not make a call beside the others: %v", err)
		}
		batches, calls = append(batches, c), append(calls, p)
	}
	got := make(chan NamedCall)
	wait := func(c context.Context) {
		before := n.all.Waiting()
		go func() {
			p, err := s.BeginNamed(c, Changes)
			if err != nil {
				t.Error(err)
			}
			got <- p
		}()
		hang.Eventually(func() bool { return n.all.Waiting() > before })
	}
	late := isolated(t.Context())
	wait(late)
	wait(batches[0])
	calls[0].End(record.KindMkdir, "", 0, 0, nil)
	if p := <-got; p.beside != batches[0] {
		t.Error("the next call of the same Batch has not had its turn")
	} else {
		calls[0] = p
	}
	calls[1].End(record.KindMkdir, "", 0, 0, nil)
	p := <-got // hangs if the place is given to nobody
	if p.beside != late {
		t.Error("the Batch that waited has not had its turn")
	}
	calls[1] = p
	ctx, cancel := context.WithCancel(t.Context())
	ended := isolated(ctx)
	failed := make(chan error)
	go func() { _, err := s.BeginNamed(ended, Changes); failed <- err }()
	hang.Eventually(func() bool { return n.all.Waiting() > 0 })
	cancel()
	if err := <-failed; err != context.Canceled {
		t.Errorf("a context that ends = %v", err)
	}
	for _, p := range calls {
		p.End(record.KindMkdir, "", 0, 0, nil)
	}
	for _, p := range taken {
		p.Release()
	}
	if calls, waiting := s.Names(); calls != 0 || waiting != 0 || len(n.waiting) != 0 {
		t.Errorf("at the end %d calls, %d wait, %d in the list", calls, waiting, len(n.waiting))
	}
	s.Close()
}

// With Options.Threads no call goes beside the permits: the Options bound all threads.
func TestNoCallBesideThreads(t *testing.T) {
	hang.Watch(t)
	s := newOn(script.New(8), Options{Threads: 1})
	first, err := s.BeginNamed(isolated(t.Context()), Changes)
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() {
		second, err := s.BeginNamed(isolated(t.Context()), Changes)
		if err == nil {
			second.End(record.KindMkdir, "", 0, 0, nil)
		}
		ended <- err
	}()
	hang.Eventually(func() bool { // hangs if the second call has begun
		calls, waiting := s.Names()
		return calls == 1 && waiting == 1
	})
	first.End(record.KindMkdir, "", 0, 0, nil)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
