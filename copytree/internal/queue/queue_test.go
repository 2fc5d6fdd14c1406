package queue

import (
	"testing"
	"testing/synctest"

	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

func newQueue(l Limits) *Queue {
	q := &Queue{}
	q.Init(l)
	return q
}

// next returns the directory that Next returns for id.
func next(t *testing.T, q *Queue, id int) *dirs.Dir {
	t.Helper()
	b, d, cold := q.Next(id)
	if b != nil || cold {
		t.Fatalf("Next(%d) = %v, %v, %t; want a directory", id, b, d, cold)
	}
	return d
}

// TestOrder checks that a worker takes the directory that it found last, and another worker's
// oldest one.
func TestOrder(t *testing.T) {
	q := newQueue(Limits{Workers: 2})
	root, a, b, c := &dirs.Dir{}, &dirs.Dir{}, &dirs.Dir{}, &dirs.Dir{}
	q.Start(root)
	if d := next(t, q, 0); d != root {
		t.Fatal("the first directory is not the root")
	}
	q.Add(0, []*dirs.Dir{a, b, c}, 3)
	if next(t, q, 0) != c || next(t, q, 1) != a || next(t, q, 0) != b {
		t.Error("the order is another one")
	}
	for range 4 {
		q.Finished()
	}
	if b, d, _ := q.Next(0); b != nil || d != nil {
		t.Errorf("Next = %v, %v after all directories are finished; want none", b, d)
	}
}

// TestAlone checks that another worker gets nothing while worker 0 works alone, until that ends or
// nothing is left.
func TestAlone(t *testing.T) {
	a := &dirs.Dir{}
	for _, c := range []struct {
		over func(*Queue)
		want *dirs.Dir
	}{
		{func(q *Queue) { q.SetAlone(false) }, a},
		{func(q *Queue) { q.Finished(); q.Finished() }, nil},
		{func(q *Queue) { q.Stop() }, nil},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(Limits{Workers: 2})
			q.Start(&dirs.Dir{})
			next(t, q, 0)
			q.SetAlone(true)
			q.Add(0, []*dirs.Dir{a}, 1)
			var got *dirs.Dir
			returned := false
			go func() {
				_, got, _ = q.Next(1)
				returned = true
			}()
			if synctest.Wait(); returned {
				t.Fatal("Next(1) has returned while worker 0 is to work alone")
			}
			c.over(q)
			if synctest.Wait(); !returned || got != c.want {
				t.Errorf("afterwards Next(1) has returned %t, %p; want %p", returned, got, c.want)
			}
		})
	}
}

// TestCold checks that prefetchers get the directories of a cold tree, and that workers get their
// batches. A prefetcher waits when too much is open.
func TestCold(t *testing.T) {
	q := newQueue(Limits{Workers: 1, Prefetchers: 1, OpenAhead: 5})
	root := &dirs.Dir{}
	q.Start(root)
	q.SetCold(true)
	if d := q.NextDir(1, false); d != root {
		t.Fatalf("NextDir = %v; want the root", d)
	}
	b := NewBatch(root)
	b.Entries = make([]Entry, 3) // OpenAhead, with the directory's two descriptors
	delivered := make(chan bool)
	go func() {
		q.Deliver([]*Batch{b})
		close(delivered)
	}()
	if got, d, cold := q.Next(0); got != b || d != nil || !cold {
		t.Fatalf("Next = %p, %v, %t; want %p, nil, true", got, d, cold, b)
	}
	select {
	case <-delivered:
		t.Error("Deliver returns while as much is open as may be")
	default:
	}
	if !q.Release(b) {
		t.Error("Release = false for the only user")
	}
	<-delivered
}

// TestOffer checks that another worker joins an offered batch, and that the last worker ends it.
func TestOffer(t *testing.T) {
	q := newQueue(Limits{Workers: 2})
	root := &dirs.Dir{}
	q.Start(root)
	next(t, q, 0)
	b := NewBatch(root)
	b.Entries = make([]Entry, 2)
	for i := range b.Entries {
		b.Entries[i].Name = []byte{'a', 0}
	}
	b.Take()
	q.Offer(b)
	if got, _, _ := q.Next(1); got != b {
		t.Fatalf("Next = %p; want the batch that was offered, %p", got, b)
	}
	if b.Take() == nil || b.Take() != nil {
		t.Error("not one entry was left")
	}
	if q.Release(b) || !q.Release(b) {
		t.Error("it is not the second Release that ends the batch")
	}
}

// TestOfferLast checks that a worker reads the remaining directories before it helps with another
// worker's batch.
func TestOfferLast(t *testing.T) {
	q := newQueue(Limits{Workers: 2})
	root, dir := &dirs.Dir{}, &dirs.Dir{}
	q.Start(root)
	next(t, q, 0)
	q.Add(0, []*dirs.Dir{dir}, 1)
	b := NewBatch(root)
	b.Entries = make([]Entry, 2)
	for i := range b.Entries {
		b.Entries[i].Name = []byte{'a', 0}
	}
	q.Offer(b)
	if d := next(t, q, 1); d != dir {
		t.Errorf("Next = %p; want the directory that is left, %p", d, dir)
	}
	if got, _, _ := q.Next(1); got != b {
		t.Errorf("Next = %p; want the batch that was offered, %p", got, b)
	}
}

// TestStop checks that Stop ends the wait for work.
func TestStop(t *testing.T) {
	q := newQueue(Limits{Workers: 1, Prefetchers: 1})
	q.Start(&dirs.Dir{})
	q.SetCold(true) // there is no directory for the worker, and no room ahead
	ended := make(chan bool)
	go func() {
		b, d, _ := q.Next(0)
		ended <- b == nil && d == nil
	}()
	go func() { ended <- q.NextDir(1, true) == nil }()
	q.Stop()
	for range 2 {
		if !<-ended {
			t.Error("there is work after Stop")
		}
	}
}

// TestColdWorkers checks that a worker for cold trees gets nothing while the tree is hot, and ends
// when nothing is left.
func TestColdWorkers(t *testing.T) {
	for _, c := range []struct {
		then func(*Queue)
		want bool
	}{
		{func(q *Queue) { q.SetCold(true) }, true},
		{func(q *Queue) { q.Finished() }, false},
		{func(q *Queue) { q.Stop() }, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			q := newQueue(Limits{Workers: 1, ColdWorkers: 1, Prefetchers: 1, OpenAhead: 100})
			q.Start(&dirs.Dir{})
			if c.want {
				q.Deliver([]*Batch{{}})
			}
			got := make(chan *Batch, 1)
			go func() {
				b, _, _ := q.Next(1)
				got <- b
			}()
			synctest.Wait()
			if len(got) > 0 {
				t.Error("while the tree is hot, the worker gets a batch, or ends")
			}
			c.then(q)
			if b := <-got; (b != nil) != c.want {
				t.Errorf("the worker gets batch %v; want one: %t", b, c.want)
			}
		})
	}
}
