package buffer

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/seed"
	"github.com/sluiceio/sluice/internal/test/skip"
)

func TestDefaultLimit(t *testing.T) {
	for memory, want := range map[int64]int64{
		0: 64 << 20, 32 << 30: 2 << 30, 1 << 30: 64 << 20, 512 << 20: 64 << 20,
		256 << 20: 32 << 20, 64 << 20: 8 << 20, 8 << 20: slabSize, 1: slabSize,
	} {
		if got := defaultLimit(memory); got != want {
			t.Errorf("of %d bytes %d are the limit; want %d", memory, got, want)
		}
	}
	for _, c := range []struct{ memory, n, want int64 }{
		{0, 5, 5}, {1 << 30, 64 << 20, 64 << 20}, {256 << 20, 64 << 20, 32 << 20}, {256 << 20, 1 << 20, 1 << 20}, {1, 64 << 20, slabSize},
	} {
		if got := modest(c.memory, c.n); got != c.want {
			t.Errorf("of %d bytes %d are modestly %d; want %d", c.memory, c.n, got, c.want)
		}
	}
	for o, want := range map[int64]int64{1: slabSize, slabSize: slabSize, slabSize + 1: 2 * slabSize, math.MaxInt64: math.MaxInt64} {
		if got := NewPool(Options{Limit: o}).Limit(); got != want {
			t.Errorf("Limit %d became %d; want %d", o, got, want)
		}
	}
	if got := NewPool(Options{}).Limit(); got < slabSize || got%slabSize != 0 {
		t.Errorf("the default limit is %d", got)
	}
}

func TestAbsurdSizes(t *testing.T) {
	for _, limit := range []int64{4 << 20, math.MaxInt64} {
		p := newPool(t, Options{Limit: limit})
		for _, n := range []int{-1, math.MinInt, math.MaxInt, math.MaxInt - slabSize, 4<<20 + 1} {
			if n == 4<<20+1 && limit > 4<<20 {
				continue
			}
			b, err := p.Get(t.Context(), n)
			if err == nil || b != (Buffer{}) {
				t.Errorf("Get(%d) with limit %d = %v, nil; want an error", n, limit, b)
			}
			if n > 0 && !errors.Is(err, ErrTooLarge) {
				t.Errorf("Get(%d) = %v; want ErrTooLarge", n, err)
			}
			if n < 0 && !strings.Contains(err.Error(), strconv.Itoa(n)) {
				t.Errorf("Get(%d) = %v; want the size in it", n, err)
			}
			if _, ok := p.TryGet(n); ok {
				t.Errorf("TryGet(%d) = true", n)
			}
		}
	}
}

// If the system has no memory, Get fails, and does not wait.
func TestNoMemory(t *testing.T) {
	p := newPool(t, Options{Limit: 8 << 20})
	give := true
	p.source = func(n int) (memory, error) {
		if !give {
			return memory{}, syscall.ENOMEM
		}
		return heap(n), nil
	}
	b := get(t, p, 1)
	give = false
	if _, err := p.Get(t.Context(), slabSize); !errors.Is(err, syscall.ENOMEM) {
		t.Errorf("Get = %v; want ENOMEM", err)
	}
	if _, ok := p.TryGet(slabSize); ok {
		t.Error("TryGet = true")
	}
	get(t, p, 1).Release() // uses the existing slab
	b.Release()
}

// waitForWaiters waits until n Gets are waiting.
func waitForWaiters(t *testing.T, p *Pool, n int) {
	t.Helper()
	for start := time.Now(); p.Stats().Waiting != n; time.Sleep(50 * time.Microsecond) {
		if time.Since(start) > time.Minute {
			t.Fatalf("%d Gets wait; want %d", p.Stats().Waiting, n)
		}
	}
}

func TestBound(t *testing.T) {
	p := newPool(t, Options{Limit: 2 * slabSize})
	a, b := get(t, p, slabSize), get(t, p, slabSize)
	if _, ok := p.TryGet(1); ok {
		t.Fatal("TryGet = true with the limit reached")
	}
	got := make(chan Buffer)
	go func() { got <- get(t, p, 1) }()
	waitForWaiters(t, p, 1)
	a.Release()
	c := <-got
	if st := p.Stats(); st.Mapped > 2*slabSize || st.MappedPeak > 2*slabSize || st.Waits != 1 || st.Peak != 2*slabSize {
		t.Errorf("%+v; want at most two slabs, one wait", st)
	}
	b.Release()
	c.Release()
}

// Ample is true while half of the limit is free; BlockSize returns the memory of a Buffer.
func TestAmple(t *testing.T) {
	p := newPool(t, Options{Limit: 2 * slabSize})
	if p.Limit() != 2*slabSize || !p.Ample(slabSize) || p.Ample(slabSize+1) || p.Ample(math.MaxInt) {
		t.Errorf("Limit = %d, Ample of %d = %v", p.Limit(), slabSize, p.Ample(slabSize))
	}
	for _, n := range []int{0, 1, minBlock, minBlock + 1, 600 << 10, slabSize} {
		b := get(t, p, n)
		used := p.Stats().InUse
		if used != int64(BlockSize(n)) {
			t.Errorf("%d bytes: %d in use, BlockSize = %d", n, used, BlockSize(n))
		}
		for _, more := range []int{1, minBlock + 1, 300 << 10, slabSize} {
			if got := p.Ample(more); got != (used+int64(BlockSize(more)) <= slabSize) {
				t.Errorf("%d in use: Ample of %d = %v", used, more, got)
			}
		}
		b.Release()
	}
	if n := BlockSize(slabSize + 1); n != 2*slabSize {
		t.Errorf("BlockSize = %d; want %d", n, 2*slabSize)
	}
}

func TestWaitEndsWithContext(t *testing.T) {
	p := newPool(t, Options{Limit: slabSize})
	all := get(t, p, slabSize)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error)
	for range 3 {
		go func() {
			_, err := p.Get(ctx, 1)
			errs <- err
		}()
	}
	waitForWaiters(t, p, 3)
	cancel()
	for range 3 {
		if err := <-errs; err != context.Canceled {
			t.Errorf("Get = %v; want context.Canceled", err)
		}
	}
	if _, err := p.Get(ctx, 1); err != context.Canceled {
		t.Errorf("Get with an ended context = %v; want context.Canceled", err)
	}
	deadline, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := p.Get(deadline, 1); err != context.DeadlineExceeded {
		t.Errorf("Get = %v; want DeadlineExceeded", err)
	}
	all.Release()
	// Free memory is returned even if the context has ended.
	b, err := p.Get(ctx, 1)
	if err != nil {
		t.Errorf("Get with memory free = %v", err)
	}
	b.Release()
}

// Waiting Gets are served in their order.
func TestWaitersAreServedInOrder(t *testing.T) {
	p := newPool(t, Options{Limit: 2 * slabSize})
	a, small := get(t, p, slabSize), get(t, p, 1)
	type result struct {
		i int
		b Buffer
	}
	got := make(chan result, 3)
	for i, n := range []int{2 * slabSize, 1, slabSize} {
		go func() { got <- result{i, get(t, p, n)} }()
		waitForWaiters(t, p, i+1)
	}
	// There is room for the second Get, but the first one is served first.
	if _, ok := p.TryGet(1); ok {
		t.Error("TryGet has overtaken waiting Gets")
	}
	if n := p.Stats().Waiting; n != 3 {
		t.Fatalf("%d requests wait; want 3: one was served before the first one", n)
	}
	a.Release()
	small.Release()
	r := <-got
	if r.i != 0 {
		t.Fatalf("request %d was served first", r.i)
	}
	waitForWaiters(t, p, 2)
	r.b.Release()
	for range 2 {
		r := <-got
		r.b.Release()
	}
}

// When the first waiting Get gives up, the next ones are served.
func TestAbandonServesTheNext(t *testing.T) {
	p := newPool(t, Options{Limit: 2 * slabSize})
	a := get(t, p, 1)
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan error)
	go func() {
		_, err := p.Get(ctx, 2*slabSize)
		first <- err
	}()
	waitForWaiters(t, p, 1)
	second := make(chan Buffer)
	go func() { second <- get(t, p, 1) }()
	waitForWaiters(t, p, 2)
	cancel()
	if err := <-first; err != context.Canceled {
		t.Errorf("Get = %v", err)
	}
	b := <-second
	b.Release()
	a.Release()
}

// At the limit, Get returns a block that is too large rather than wait.
func TestLargerBlockServes(t *testing.T) {
	p := newPool(t, Options{Limit: slabSize})
	a := get(t, p, 64<<10)
	b := get(t, p, 100)
	if b.Cap() != 64<<10 || b.Len() != 100 {
		t.Errorf("Cap = %d, Len = %d; want a block of 64 KiB", b.Cap(), b.Len())
	}
	a.Release()
	b.Release()
}

// At the limit, an idle slab goes to another class.
func TestSlabChangesItsClass(t *testing.T) {
	p := newPool(t, Options{Limit: slabSize})
	for _, n := range []int{1, slabSize, 100_000, 1} {
		get(t, p, n).Release()
	}
	if st := p.Stats(); st.Mapped != slabSize || st.MappedPeak != slabSize {
		t.Errorf("%+v; want one slab", st)
	}
	big := newPool(t, Options{Limit: 3 * slabSize})
	get(t, big, 1).Release()
	get(t, big, 8192).Release()
	get(t, big, 3*slabSize).Release() // both slabs must be unmapped
	if st := big.Stats(); st.MappedPeak != 3*slabSize {
		t.Errorf("%+v; want a peak of 3 slabs", st)
	}
}

// Idle slabs are unmapped, except for a reserve.
func TestGivingBack(t *testing.T) {
	p := newPool(t, Options{Limit: 64 << 20})
	var all []Buffer
	for range 20 {
		all = append(all, get(t, p, slabSize))
	}
	big := get(t, p, 20<<20)
	if st := p.Stats(); st.Mapped != 60<<20 || st.InUse != 60<<20 || st.Peak != 60<<20 {
		t.Errorf("%+v; want 60 MiB", st)
	}
	for _, b := range all {
		b.Release()
	}
	big.Release()
	st := p.Stats()
	if st.Mapped != maxIdle || st.InUse != 0 || st.Peak != 60<<20 || st.MappedPeak != 60<<20 {
		t.Errorf("%+v; want %d mapped and a peak of 60 MiB", st, maxIdle)
	}
	p.Trim()
	if st := p.Stats(); st.Mapped != 0 {
		t.Errorf("%d mapped after Trim; want 0", st.Mapped)
	}
	get(t, p, 1).Release()
}

func TestClose(t *testing.T) {
	p := newPool(t, Options{Limit: slabSize})
	b := get(t, p, slabSize)
	errs := make(chan error)
	go func() {
		_, err := p.Get(context.Background(), 1)
		errs <- err
	}()
	waitForWaiters(t, p, 1)
	p.Close()
	if err := <-errs; err != ErrClosed {
		t.Errorf("Get that waited = %v; want ErrClosed", err)
	}
	if _, err := p.Get(t.Context(), 1); err != ErrClosed {
		t.Errorf("Get after Close = %v; want ErrClosed", err)
	}
	if _, ok := p.TryGet(1); ok {
		t.Error("TryGet after Close = true")
	}
	b.Bytes()[slabSize-1] = 1 // still mapped
	b.Release()
	if st := p.Stats(); st.Mapped != 0 {
		t.Errorf("%d mapped after Close and Release", st.Mapped)
	}
	p.Close()
}

// register is a Registrar with room for a few pieces of memory.
type register struct {
	mu    sync.Mutex
	room  int
	known map[uint32]*byte
	calls uint32
}

func (r *register) Register(mem []byte) uint32 {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.calls++
	if len(r.known) >= r.room {
		return 0
	}
	r.known[r.calls] = &mem[0]
	return r.calls
}

func (r *register) Unregister(i uint32) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.known[i] == nil {
		panic("Unregister of memory that is not registered")
	}
	delete(r.known, i)
}

// Registered implements Registrar: the first piece of memory is not used with a driver.
func (r *register) Registered(i uint32) bool { return i > 1 && r.known[i] != nil }

func TestRegistrar(t *testing.T) {
	r := &register{room: 2, known: map[uint32]*byte{}}
	p := newPool(t, Options{Limit: 32 << 20, Registrar: r})
	var all []Buffer
	for i := range 5 {
		b := get(t, p, slabSize)
		want := uint32(i + 1)
		if i >= 2 {
			want = 0 // refused, and used without
		}
		if b.Reg() != want {
			t.Errorf("slab %d has Reg %d; want %d", i, b.Reg(), want)
		}
		all = append(all, b)
	}
	if st := p.Stats(); st.Registered != slabSize {
		t.Errorf("%d bytes registered; want one slab", st.Registered)
	}
	all[0].Release()
	p.Trim()
	if len(r.known) != 1 {
		t.Errorf("%d are registered after one was given back; want 1", len(r.known))
	}
	p.Close()
	if len(r.known) != 0 || all[1].Reg() != 0 {
		t.Errorf("%d are registered after Close; Reg is %d", len(r.known), all[1].Reg())
	}
	for _, b := range all[1:] {
		b.Release()
	}
}

// stuck is a Registrar whose Unregister waits, as for a device that takes no requests.
type stuck struct {
	register
	goOn chan struct{}
}

func (r *stuck) Registered(uint32) bool { return true }

func (r *stuck) Unregister(i uint32) {
	<-r.goOn
	r.register.Unregister(i)
}

// While a driver unregisters memory and waits for its device, other calls do not wait. The memory
// counts until it is unmapped.
func TestUnregisterWaits(t *testing.T) {
	hang.Watch(t)
	const kept, limit = maxIdle / slabSize, maxIdle/slabSize + 3
	r := &stuck{register{room: 100, known: map[uint32]*byte{}}, make(chan struct{})}
	p := newPool(t, Options{Limit: limit * slabSize, Registrar: r})
	var all []Buffer
	for range kept + 1 {
		all = append(all, get(t, p, slabSize))
	}
	for _, b := range all {
		b.Release() // the last one unmaps a slab
	}
	get(t, p, slabSize).Release()
	if _, ok := p.TryGet(6 * slabSize); ok {
		t.Error("TryGet has memory that is not unmapped yet")
	}
	large := make(chan Buffer)
	go func() { large <- get(t, p, 6*slabSize) }()
	waitForWaiters(t, p, 1)
	if st := p.Stats(); st.Mapped != (kept+1)*slabSize || st.InUse != 0 {
		t.Errorf("%+v; want %d slabs, none in use", st, kept+1)
	}
	close(r.goOn)
	(<-large).Release()
	if st := p.Stats(); st.MappedPeak > limit*slabSize {
		t.Errorf("%+v; want at most %d slabs", st, limit)
	}
	p.Close()
	if st := p.Stats(); st.Mapped != 0 || len(r.known) != 0 {
		t.Errorf("%+v after Close, and %d pieces are registered; want none", st, len(r.known))
	}
}

func TestNoAllocations(t *testing.T) {
	if debug {
		skip.For(t, skip.Build, "not in builds for debugging")
	}
	p := newPool(t, Options{})
	held := get(t, p, 64<<10)
	for _, n := range []int{1, 4096, 64 << 10, slabSize, 3 * slabSize} {
		get(t, p, n).Release()
		allocs.None(t, fmt.Sprintf("Get(%d) and Release", n), func() error {
			b, err := p.Get(context.Background(), n)
			if err != nil {
				return err
			}
			b.Retain().Release()
			_ = b.Slice(0, 1).Bytes()
			b.Release()
			return nil
		})
	}
	held.Release()
}

// All calls at the same time, with a limit that is always reached.
func TestRandom(t *testing.T) {
	start := seed.Of(t)
	p := newPool(t, Options{Limit: 4 * slabSize})
	var wg sync.WaitGroup
	for g := range 8 {
		rnd := rand.New(rand.NewPCG(start, uint64(g)))
		wg.Go(func() {
			for range 500 {
				useOne(t, p, rnd, byte(g))
			}
		})
	}
	wg.Wait()
	if st := p.Stats(); st.MappedPeak > 4*slabSize || st.Peak > st.MappedPeak || st.InUse != 0 {
		t.Errorf("%+v; want no more than the limit", st)
	}
}

func useOne(t *testing.T, p *Pool, rnd *rand.Rand, mark byte) {
	n := rnd.IntN(1<<rnd.IntN(23)) + 1
	ctx := context.Background()
	if rnd.IntN(4) == 0 {
		limited, cancel := context.WithTimeout(ctx, time.Duration(rnd.IntN(200))*time.Microsecond)
		defer cancel()
		ctx = limited
	}
	b, err := p.Get(ctx, n)
	if err != nil {
		if ctx.Err() == nil {
			t.Errorf("Get(%d) = %v", n, err)
		}
		return
	}
	mem := b.Bytes()
	mem[0], mem[n-1] = mark, mark
	if rnd.IntN(2) == 0 {
		if more, ok := p.TryGet(rnd.IntN(64 << 10)); ok {
			more.Release()
		}
	}
	if mem[0] != mark || mem[n-1] != mark {
		t.Errorf("memory of another")
	}
	b.Release()
}

func BenchmarkGetRelease(b *testing.B) {
	p := newPool(b, Options{})
	b.ReportAllocs()
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			buf, err := p.Get(context.Background(), 64<<10)
			if err != nil {
				b.Fatal(err)
			}
			buf.Release()
		}
	})
}
