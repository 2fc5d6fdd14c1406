package budget

import (
	"context"
	"testing"
	"time"
)

// A goroutine that finds no permit keeps its processor for a while, and takes a permit that is
// released then. It does not keep the processor for an fsync, nor where as many goroutines wait as
// there are permits, nor where no other processor can release a permit.
func TestKeepProcessor(t *testing.T) {
	for _, c := range []struct {
		name           string
		kind           Kind
		procs, waiting int
		free           int // after how many moments a permit is released; 0 for never
		took           time.Duration
		moments        int
		ok             bool
	}{
		{name: "released soon", procs: 2, free: 2, took: keepFor / 4, moments: 2, ok: true},
		{name: "not released", procs: 2, took: keepFor / 4, moments: 4},
		{name: "late moments", procs: 2, took: keepFor, moments: 1},
		{name: "an fsync", kind: Syncs, procs: 2, free: 1, took: keepFor / 4},
		{name: "one processor", procs: 1, free: 1, took: keepFor / 4},
		{name: "many wait", procs: 2, waiting: Least, free: 1, took: keepFor / 4},
		{name: "some wait", procs: 2, waiting: Least - 1, free: 3, took: keepFor / 4, moments: 3, ok: true},
	} {
		w := newWorld(1, c.procs, 0)
		b := w.of[0]
		taken := b.fill(Reads)
		b.waiting.Store(int32(c.waiting)) // goroutines that no Release looks for
		moments := 0
		w.all.keep = func() (time.Duration, bool) {
			if moments++; moments == c.free {
				b.used.Add(-int64(taken[0].unit()))
			}
			return c.took, true
		}
		if ok := b.keepProcessor(Permit{b, c.kind, false}); ok != c.ok || moments != c.moments {
			t.Errorf("%s: keepProcessor = %v after %d moments; want %v after %d", c.name, ok, moments, c.ok, c.moments)
		}
	}
}

// Where the system cannot sleep so, a goroutine waits at once.
func TestCannotKeepProcessor(t *testing.T) {
	w := newWorld(1, 2, 0)
	b := w.of[0]
	for range Least {
		if _, err := b.Acquire(context.Background(), Reads, false); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	w.all.keep = func() (time.Duration, bool) { asked++; return 0, false }
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := b.Acquire(ctx, Reads, ctx.Done() != nil); err == nil || asked != 1 {
		t.Errorf("Acquire = %v after %d moments; want an error after 1", err, asked)
	}
}
