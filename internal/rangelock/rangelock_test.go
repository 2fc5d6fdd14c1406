package rangelock

import (
	"context"
	"errors"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// acquire acquires a range that must be free.
func acquire(t *testing.T, l *Lock, lo, hi int64) *Range {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel() // Acquire fails if it has to wait
	r, err := l.Acquire(ctx, lo, hi)
	if err != nil {
		t.Fatalf("Acquire(%d, %d) has to wait", lo, hi)
	}
	return r
}

// busy checks that a range is not free.
func busy(t *testing.T, l *Lock, lo, hi int64) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Acquire(ctx, lo, hi); !errors.Is(err, context.Canceled) {
		t.Errorf("Acquire(%d, %d) = %v; want to wait", lo, hi, err)
	}
}

func TestOverlap(t *testing.T) {
	var l Lock
	r := acquire(t, &l, 10, 20)
	for _, free := range [][2]int64{{0, 10}, {20, 30}, {9, 10}, {20, End}} {
		l.Release(acquire(t, &l, free[0], free[1]))
	}
	for _, b := range [][2]int64{{0, 11}, {19, 30}, {10, 20}, {12, 13}, {0, End}, {10, 11}, {19, 20}} {
		busy(t, &l, b[0], b[1])
	}
	l.Release(r)
	l.Release(acquire(t, &l, 0, End))
	if l.ranges.root != nil {
		t.Error("a range is left")
	}
}

// arrive starts do in a goroutine, and returns when n ranges are locked or waiting.
func arrive(l *Lock, all *sync.WaitGroup, n int, do func()) {
	all.Go(do)
	for there := 0; there < n; runtime.Gosched() {
		l.mu.Lock()
		there = l.ranges.overlapping(0, End)
		l.mu.Unlock()
	}
}

// TestOrder checks that waiting ranges are locked in the order in which they came.
func TestOrder(t *testing.T) {
	var l Lock
	var order []string
	var all sync.WaitGroup
	held := acquire(t, &l, 0, 10)
	for i, w := range []struct {
		name   string
		lo, hi int64
	}{{"all", 0, End}, {"behind all", 50, 60}, {"behind both", 0, 60}} {
		arrive(&l, &all, i+2, func() {
			r, err := l.Acquire(context.Background(), w.lo, w.hi)
			if err != nil {
				t.Error(err)
				return
			}
			order = append(order, w.name)
			l.Release(r)
		})
	}
	l.Release(held)
	all.Wait()
	if !slices.Equal(order, []string{"all", "behind all", "behind both"}) {
		t.Errorf("order %q", order)
	}
}

// TestGivenUp checks that when a waiting goroutine gives up, the goroutines after it go on.
func TestGivenUp(t *testing.T) {
	var l Lock
	var all sync.WaitGroup
	held := acquire(t, &l, 0, 10)
	ctx, cancel := context.WithCancel(t.Context())
	arrive(&l, &all, 2, func() {
		if _, err := l.Acquire(ctx, 0, End); !errors.Is(err, context.Canceled) {
			t.Errorf("Acquire = %v; want canceled", err)
		}
	})
	arrive(&l, &all, 3, func() {
		r, err := l.Acquire(context.Background(), 20, 30)
		if err != nil {
			t.Error(err)
			return
		}
		l.Release(r)
	})
	cancel()
	all.Wait()
	l.Release(held)
	if l.ranges.root != nil {
		t.Error("a range is left")
	}
}

// TestExclusion locks random ranges in many goroutines, and checks that no byte is locked twice.
// Some of the goroutines give up.
func TestExclusion(t *testing.T) {
	const size, goroutines, rounds = 64, 32, 2000
	start := seed.Of(t)
	var l Lock
	var owner [size]atomic.Int32
	var all sync.WaitGroup
	for g := range int32(goroutines) {
		all.Go(func() {
			r := rand.New(rand.NewPCG(start, uint64(g)))
			for range rounds {
				lo := r.Int64N(size)
				hi := lo + 1 + r.Int64N(min(size-lo, 1+r.Int64N(size)))
				ctx, cancel := context.WithCancel(t.Context())
				if r.IntN(4) == 0 {
					go cancel()
				}
				got, err := l.Acquire(ctx, lo, hi)
				if err == nil {
					for i := lo; i < hi; i++ {
						if !owner[i].CompareAndSwap(0, g+1) {
							t.Errorf("seed %d: byte %d is %d's and %d's", start, i, owner[i].Load(), g+1)
						}
					}
					for i := lo; i < hi; i++ {
						owner[i].Store(0)
					}
					l.Release(got)
				}
				cancel()
			}
		})
	}
	all.Wait()
	if l.ranges.root != nil {
		t.Error("a range is left")
	}
}

// TestTree compares the tree with a list.
func TestTree(t *testing.T) {
	start := seed.Of(t)
	r := rand.New(rand.NewPCG(start, 0))
	var tr tree
	var list []*Range
	for i := range uint64(20_000) {
		if len(list) > 0 && r.IntN(2000) < len(list) {
			at := r.IntN(len(list))
			tr.remove(list[at])
			list[at] = list[len(list)-1]
			list = list[:len(list)-1]
		} else {
			lo := r.Int64N(1000)
			n := &Range{lo: lo, hi: lo + 1 + r.Int64N(1+r.Int64N(100)), serial: i, priority: r.Uint32()}
			tr.insert(n)
			list = append(list, n)
		}
		lo := r.Int64N(1000)
		hi := lo + 1 + r.Int64N(50)
		want := 0
		for _, n := range list {
			if n.lo < hi && n.hi > lo {
				want++
			}
		}
		if got := tr.overlapping(lo, hi); got != want {
			t.Fatalf("seed %d: overlapping(%d, %d) = %d; want %d", start, lo, hi, got, want)
		}
	}
}

func TestAllocs(t *testing.T) {
	var l Lock
	allocs.None(t, "Acquire and Release", func() error {
		r, err := l.Acquire(context.Background(), 0, 10)
		if err != nil {
			return err
		}
		l.Release(r)
		return nil
	})
}

func TestPanics(t *testing.T) {
	for name, do := range map[string]func(l *Lock){
		"empty":    func(l *Lock) { l.Acquire(context.Background(), 5, 5) },
		"released": func(l *Lock) { l.Release(&Range{lo: 1, hi: 2}) },
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", name)
				}
			}()
			do(&Lock{})
		}()
	}
}

// BenchmarkDisjoint locks and releases one of many ranges.
func BenchmarkDisjoint(b *testing.B) {
	var l Lock
	for i := range int64(256) {
		if _, err := l.Acquire(context.Background(), 2*i, 2*i+1); err != nil {
			b.Fatal(err)
		}
	}
	for b.Loop() {
		r, _ := l.Acquire(context.Background(), 101, 102)
		l.Release(r)
	}
}
