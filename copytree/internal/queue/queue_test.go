package queue

import (
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/dirs"
)

// TestExtraWorkers: an extra worker copies a batch for each large file that is
// being copied, and no more.
func TestExtraWorkers(t *testing.T) {
	q := &Queue{}
	q.Init(Limits{Workers: 1, Prefetchers: 1, ExtraWorkers: 2, OpenAhead: 100})
	q.Start(&dirs.Dir{})
	q.SetCold(true)
	q.Deliver([]*Batch{{}, {}})
	got := make(chan *Batch)
	go func() { got <- q.NextExtra() }()
	q.BeginLarge()
	if b := <-got; b == nil || len(q.delivered) != 1 {
		t.Fatalf("an extra worker got %v, and %d batches are left; want 1", b, len(q.delivered))
	}
	go func() { got <- q.NextExtra() }() // waits: the file has an extra worker
	q.Stop()
	if b := <-got; b != nil || len(q.delivered) != 1 {
		t.Errorf("a second extra worker got %v", b)
	}
	q.stopped.Store(false)
	q.DoneExtra()
	if b := q.NextExtra(); b == nil {
		t.Error("an extra worker that has copied its batch gets no other")
	}
	q.DoneExtra()
	q.EndLarge()
	if q.extra.busy != 0 || q.extra.large != 0 {
		t.Errorf("%d extra workers and %d large files are left", q.extra.busy, q.extra.large)
	}
}
