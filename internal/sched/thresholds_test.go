package sched

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// The tests here notice when a threshold is switched off. Each test says what its threshold brings
// about, and not its number, which is measured: docs/decisions.

// A leader makes goroutines ready. Their next operations travel in one batch, with the leader's
// next wait.
func TestLeaderSubmitsWhatItsResultsBring(t *testing.T) {
	hang.Watch(t)
	const n = 3 // fewer than are submitted without the leader
	d := script.New(8)
	s := newOn(d.Staging(), queueAll)
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
func TestTransferSetSubmitsSomeAtATime(t *testing.T) {
	hang.Watch(t)
	d := script.New(256)
	d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), op.Off == 1 }
	s := newOn(d.Staging(), queueAll)
	f := iopath.NewFile(1<<20, true, false)
	g := s.NewTransferSet(t.Context(), iopath.NewFile(1<<20, true, false))
	most, started := 0, 0
	start := func(n int, off int64) {
		started++
		g.StartRead(new(Transfer), f, make([]byte, n), off, 0)
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
