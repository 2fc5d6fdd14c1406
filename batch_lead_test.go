package sluice

import (
	"testing"
	"time"
)

// TestBatchPlace finds each operation in a place of its own, one after the other.
func TestBatchPlace(t *testing.T) {
	slab, at := 0, -1
	for i := range 5000 {
		if at++; at == slabSize(slab) {
			slab, at = slab+1, 0
		}
		if s, a := place(i); s != slab || a != at {
			t.Fatalf("operation %d is in slab %d at %d; want %d, %d", i, s, a, slab, at)
		}
	}
}

// TestBatchOneDirectory: what changes one directory is not shared out.
func TestBatchOneDirectory(t *testing.T) {
	for what, c := range map[string]struct {
		add  func(b *Batch)
		want bool
	}{
		"one":        {func(b *Batch) { b.Mkdir("a/b", 0); b.Unlink("a/c"); b.Rename("x/d", "a/d") }, true},
		"others":     {func(b *Batch) { b.Mkdir("a/b", 0); b.Mkdir("c/b", 0); b.Mkdir("d/b", 0) }, false},
		"relative":   {func(b *Batch) { b.Mkdir("b", 0); b.Mkdir("c", 0).At(new(File)) }, false},
		"here":       {func(b *Batch) { b.Mkdir("b", 0); b.Rmdir("c") }, true},
		"not change": {func(b *Batch) { b.Stat("a/b"); b.Stat("a/c") }, false},
	} {
		b := &Batch{s: &Scheduler{}}
		c.add(b)
		r := &batchRun{b: b}
		r.own.Set(0, b.n)
		if got := r.oneDirectory(); got != c.want {
			t.Errorf("%s: one directory = %v; want %v", what, got, c.want)
		}
	}
}

// TestBatchPaces remembers what has changed by a quarter and more.
func TestBatchPaces(t *testing.T) {
	var p batchPaces
	stat := &BatchOp{kind: opStat}
	for _, c := range []struct{ took, want time.Duration }{{1000, 100}, {1200, 100}, {1300, 130}, {1000, 130}, {900, 90}} {
		p.note(opStat, c.took, 10)
		if got := p.of(stat); got != c.want {
			t.Errorf("after 10 in %d ns: %d ns each; want %d", c.took, got, c.want)
		}
	}
	if got := p.of(&BatchOp{kind: opMkdir}); got != 0 {
		t.Errorf("of another kind %v", got)
	}
}
