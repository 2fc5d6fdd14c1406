package buffer

import (
	"context"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

const mega = 1 << 20 // 1 MiB

func newQuotas(t testing.TB, limit int64) *Quotas[string] {
	q := NewQuotas[string](Options{Limit: limit})
	t.Cleanup(func() {
		if q.held != 0 || q.waiting != 0 || q.pool.Stats().InUse != 0 {
			t.Errorf("%d bytes are held, %d Gets wait; want none", q.held, q.waiting)
		}
		q.Close()
	})
	return q
}

// take takes Buffers of 1 MiB for a user until it would have to wait.
func take(t *testing.T, q *Quotas[string], user string) (all []Lease[string]) {
	t.Helper()
	for {
		l, err := q.Get(ended, user, mega)
		if err != nil {
			return all
		}
		all = append(all, l)
	}
}

// ended is a context with which Get never waits.
var ended = func() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}()

func release(all []Lease[string]) {
	for _, l := range all {
		if l.Len() > 0 {
			l.Release()
		}
	}
}

// A user may hold as much as is free, and each may hold one Buffer.
func TestQuotas(t *testing.T) {
	q := newQuotas(t, 16*mega)
	var all []Lease[string]
	for i, want := range []int{8, 4, 2, 1, 1, 1, 1, 1} { // the last ones exceed the limit
		got := take(t, q, string(rune('a'+i)))
		if len(got) != want {
			t.Errorf("user %d gets %d MiB; want %d", i+1, len(got), want)
		}
		all = append(all, got...)
	}
	if st := q.pool.Stats(); st.InUse != 19*mega || st.Mapped != 20*mega || st.Waits != 0 {
		t.Errorf("%+v; want 19 MiB in use, of 20", st)
	}
	release(all)
	if got := take(t, q, "again"); len(got) != 8 {
		t.Errorf("%d MiB when all is free again; want 8", len(got))
	} else {
		release(got)
	}
}

// A waiting Get is served when another user releases memory. The Gets of one user are served in
// their order, also when the first gives up.
func TestQuotasWait(t *testing.T) {
	q := newQuotas(t, 16*mega)
	a, b := take(t, q, "a"), take(t, q, "b") // 8 and 4 MiB; 4 are free
	ctx, cancel := context.WithCancel(t.Context())
	got := make(chan Lease[string])
	for i, n := range []int{2 * mega, mega, 1} {
		go func() {
			l, err := q.Get([]context.Context{ctx, t.Context(), t.Context()}[i], "b", n)
			if (err != nil) != (i == 0) {
				t.Errorf("Get(%d) = %v", n, err)
			}
			got <- l
		}()
		for waitingGets(q) <= i {
			time.Sleep(50 * time.Microsecond)
		}
	}
	a[0].Release() // 5 are free: too few for the first Get, so all wait
	if n := waitingGets(q); n != 3 {
		t.Errorf("%d Gets wait; want 3", n)
	}
	cancel()
	first, second := <-got, <-got // in any order
	if first.Len()+second.Len() != mega {
		t.Errorf("two Gets have %d and %d bytes; want 0 and %d", first.Len(), second.Len(), mega)
	}
	release(a[1:])
	release(append(b, first, second, <-got))
}

func waitingGets(q *Quotas[string]) int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.waiting
}

// Users that keep all they may hold do not stop another user.
func TestQuotasRandom(t *testing.T) {
	start := seed.Of(t)
	q := newQuotas(t, 8*mega)
	kept := append(take(t, q, "kept"), take(t, q, "kept too")...)
	var wg sync.WaitGroup
	for g := range 12 {
		rnd := rand.New(rand.NewPCG(start, uint64(g)))
		user := []string{"a", "b", "c"}[g%3]
		wg.Go(func() {
			for range 500 {
				useLease(t, q, user, rnd)
			}
		})
	}
	wg.Wait()
	if st := q.pool.Stats(); st.Peak > 8*mega+3*mega {
		t.Errorf("%+v; want at most a Buffer of each user beyond the limit", st)
	}
	release(kept)
}

func useLease(t *testing.T, q *Quotas[string], user string, rnd *rand.Rand) {
	ctx := context.Background()
	if rnd.IntN(4) == 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(rnd.IntN(200))*time.Microsecond)
		defer cancel()
		ctx = limited
	}
	n := 1 + rnd.IntN(1<<rnd.IntN(21))
	l, err := q.Get(ctx, user, n)
	if err != nil {
		if ctx.Err() == nil {
			t.Errorf("Get = %v", err)
		}
		return
	}
	mem, mark := l.Bytes(), byte(rnd.Uint32())
	mem[0], mem[n-1] = mark, mark
	time.Sleep(time.Duration(rnd.IntN(50)) * time.Microsecond)
	if mem[0] != mark || mem[n-1] != mark {
		t.Error("memory of another")
	}
	l.Release()
}

// Quotas of idle users are deleted, and no others.
func TestQuotasForget(t *testing.T) {
	q := newQuotas(t, 16*mega)
	kept := take(t, q, "kept")
	for i := range 1000 {
		l, err := q.Get(t.Context(), strconv.Itoa(i), 1)
		if err != nil {
			t.Fatal(err)
		}
		l.Release()
	}
	if n := len(q.quotas); n > maxQuotas || q.quotas["kept"].held != 8*mega {
		t.Errorf("%d quotas; want %d at most, and the one that is used", n, maxQuotas)
	}
	release(kept)
}

func TestQuotasNoAllocations(t *testing.T) {
	if debug {
		skip.For(t, skip.Build, "not in builds for debugging")
	}
	q := newQuotas(t, 8*mega)
	allocs.None(t, "Get and Release", func() error {
		l, err := q.Get(context.Background(), "a", mega)
		l.Release()
		return err
	})
}

func BenchmarkQuotas(b *testing.B) {
	q := newQuotas(b, 64*mega)
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			l, err := q.Get(context.Background(), "a", 64<<10)
			if err != nil {
				b.Fatal(err)
			}
			l.Release()
		}
	})
}
