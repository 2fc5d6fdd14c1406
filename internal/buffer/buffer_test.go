package buffer

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// newPool returns a Pool, and checks at the end of the test that it is empty.
func newPool(t testing.TB, o Options) *Pool {
	t.Helper()
	p := NewPool(o)
	t.Cleanup(func() {
		p.Close()
		if st := p.Stats(); st.InUse != 0 || st.Mapped != 0 || st.Waiting != 0 || p.idle.Load() != 0 {
			t.Errorf("at the end: %+v, %d idle; want nothing in use, mapped, waiting", st, p.idle.Load())
		}
	})
	return p
}

func get(t testing.TB, p *Pool, n int) Buffer {
	t.Helper()
	b, err := p.Get(t.Context(), n)
	if err != nil {
		t.Fatalf("Get(%d) = %v", n, err)
	}
	return b
}

// wantPanic calls do, which misuses a Buffer. It must panic in debug builds, and must not in other
// builds.
func wantPanic(t *testing.T, what string, do func()) {
	t.Helper()
	defer func() {
		if r := recover(); (r != nil) != debug {
			t.Errorf("%s of a stale Buffer: panic %v; want one: %t", what, r, debug)
		}
	}()
	do()
}

func TestZeroBuffer(t *testing.T) {
	var b Buffer
	b.Release()
	if b.Bytes() != nil || b.Len() != 0 || b.Cap() != 0 || b.Reg() != 0 || b.Retain() != b || b.Slice(0, 0) != b {
		t.Error("the zero Buffer has something")
	}
}

func TestSizes(t *testing.T) {
	p := newPool(t, Options{Limit: 64 << 20})
	for _, c := range []struct{ n, block int }{
		{0, 4 << 10},
		{1, 4 << 10},
		{4095, 4 << 10},
		{4096, 4 << 10},
		{4097, 8 << 10},
		{100_000, 128 << 10},
		{1 << 20, 1 << 20},
		{1<<20 + 1, 2 << 20},
		{2 << 20, 2 << 20},
		{2<<20 + 1, 4 << 20},
		{5_000_001, 6 << 20},
		{64 << 20, 64 << 20},
	} {
		b := get(t, p, c.n)
		mem := b.Bytes()
		if len(mem) != c.n || cap(mem) != c.n || b.Len() != c.n || b.Cap() != c.block {
			t.Errorf("Get(%d): %d bytes of %d, Len %d, Cap %d; want Cap %d", c.n, len(mem), cap(mem), b.Len(), b.Cap(), c.block)
		}
		if a := uintptr(unsafe.Pointer(unsafe.SliceData(mem))); a%4096 != 0 {
			t.Errorf("Get(%d) is at %#x; want a multiple of 4096", c.n, a)
		}
		for i := 0; i < len(mem); i += 512 {
			mem[i] = byte(i)
		}
		if st := p.Stats(); st.InUse != int64(c.block) {
			t.Errorf("Get(%d): %d in use; want %d", c.n, st.InUse, c.block)
		}
		b.Release()
	}
}

// The blocks of a slab do not overlap, in any class.
func TestBlocksAreApart(t *testing.T) {
	p := newPool(t, Options{Limit: 32 << 20})
	for size := minBlock; size <= slabSize; size *= 2 {
		var all []Buffer
		for i := range 2 * slabSize / size {
			b := get(t, p, size)
			mem := b.Bytes()
			mem[0], mem[size-1] = byte(i), byte(i>>8)
			all = append(all, b)
		}
		if st := p.Stats(); st.InUse != 2*slabSize {
			t.Errorf("%d bytes in use; want two slabs", st.InUse)
		}
		for i, b := range all {
			mem := b.Bytes()
			if mem[0] != byte(i) || mem[size-1] != byte(i>>8) {
				t.Fatalf("block %d of %d bytes shares memory", i, size)
			}
			b.Release()
		}
	}
}

func TestSlice(t *testing.T) {
	p := newPool(t, Options{})
	b := get(t, p, 5000)
	for i := range b.Bytes() {
		b.Bytes()[i] = byte(i)
	}
	s := b.Slice(1000, 1010)
	if mem := s.Bytes(); len(mem) != 10 || cap(mem) != 10 || mem[0] != byte(1000%256) || s.Cap() != 8192-1000 {
		t.Errorf("Slice(1000, 1010) = %d bytes of %d from %d, Cap %d", len(mem), cap(mem), mem[0], s.Cap())
	}
	if s = s.Slice(5, 7192); s.Len() != 7187 || s.Bytes()[0] != byte(1005%256) {
		t.Errorf("Slice up to Cap has Len %d", s.Len())
	}
	for _, c := range [][2]int{{-1, 0}, {2, 1}, {0, 8193}, {8193, 8193}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Slice(%d, %d) does not panic", c[0], c[1])
				}
			}()
			b.Slice(c[0], c[1])
		}()
	}
	s.Release() // the same reference
	if st := p.Stats(); st.InUse != 0 {
		t.Errorf("%d in use after Release of a slice", st.InUse)
	}
}

// A second Release must not free memory that another Buffer has by then: the block has a
// generation.
func TestStale(t *testing.T) {
	p := newPool(t, Options{})
	old := get(t, p, 100)
	old.Release()
	b := get(t, p, 100)
	if old.block != b.block {
		t.Fatal("the block was not used again: the test shows nothing")
	}
	b.Bytes()[0] = 42
	wantPanic(t, "Release", func() { old.Release() })
	wantPanic(t, "Retain", func() { old.Retain() })
	wantPanic(t, "Bytes", func() {
		if old.Bytes() != nil {
			t.Error("a stale Buffer has Bytes")
		}
	})
	wantPanic(t, "Cap", func() { old.Cap() })
	wantPanic(t, "Reg", func() { old.Reg() })
	if st := p.Stats(); st.InUse != 4096 || b.Bytes()[0] != 42 {
		t.Errorf("after use of a stale Buffer: %+v", st)
	}
	b.Release()
	wantPanic(t, "second Release", b.Release)
	if st := p.Stats(); st.InUse != 0 {
		t.Errorf("%d in use", st.InUse)
	}
}

// A Buffer stays stale after its slab was unmapped, or moved to another class.
func TestStaleAfterItsSlab(t *testing.T) {
	p := newPool(t, Options{Limit: slabSize})
	old := get(t, p, 100)
	old.Release()
	b := get(t, p, slabSize) // takes the slab
	wantPanic(t, "Release", func() { old.Release() })
	b.Release()
	p.Trim()
	if st := p.Stats(); st.Mapped != 0 {
		t.Fatalf("%d mapped after Trim", st.Mapped)
	}
	wantPanic(t, "Release", func() { old.Release() })
	wantPanic(t, "Bytes", func() { old.Bytes() })
}

func TestRetainRelease(t *testing.T) {
	p := newPool(t, Options{})
	b := get(t, p, 4096)
	r := b.Retain()
	b.Release()
	if r.Bytes() == nil || p.Stats().InUse != 4096 {
		t.Error("a Buffer is gone with a reference left")
	}
	r.Release()
	if p.Stats().InUse != 0 {
		t.Error("a Buffer is there with no reference left")
	}
}

// Many goroutines share Buffers. Each goroutine has its references.
func TestRetainReleaseConcurrently(t *testing.T) {
	p := newPool(t, Options{Limit: 8 << 20})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				b := get(t, p, 4096<<(i%4))
				b.Bytes()[0], b.Bytes()[1] = byte(g), byte(i)
				var users sync.WaitGroup
				for range 4 {
					r := b.Retain()
					users.Go(func() {
						for range 10 {
							r.Retain().Release()
						}
						if mem := r.Bytes(); mem[0] != byte(g) || mem[1] != byte(i) {
							t.Errorf("bytes of another: %v; want %d, %d", mem[:2], g, i)
						}
						r.Release()
					})
				}
				b.Release()
				users.Wait()
			}
		})
	}
	wg.Wait()
}

// If many goroutines release the same reference, it is released once.
func TestDoubleReleaseConcurrently(t *testing.T) {
	if debug {
		skip.For(t, skip.Build, "misuse panics in this build")
	}
	p := newPool(t, Options{})
	for range 1000 {
		b := get(t, p, 1)
		var wg sync.WaitGroup
		var got atomic.Pointer[Buffer]
		for i := range 4 {
			wg.Go(func() {
				b.Release()
				if i == 0 {
					other := get(t, p, 1)
					got.Store(&other)
				}
			})
		}
		wg.Wait()
		other := got.Load()
		if other.Bytes() == nil || p.Stats().InUse != 4096 {
			t.Fatal("a Buffer was released by a stale handle")
		}
		other.Release()
	}
}

// A Buffer can have as many references as the word can count.
func TestTooManyReferences(t *testing.T) {
	p := newPool(t, Options{})
	b := get(t, p, 1)
	w := b.block.word.Load()
	b.block.word.Store(w | refsMask)
	defer func() {
		if recover() == nil {
			t.Error("the count of references has overflowed into the generation")
		}
		b.block.word.Store(w)
		b.Release()
	}()
	b.Retain()
}

// In debug builds memory is overwritten when it is released, and checked later.
func TestPoison(t *testing.T) {
	if !debug {
		skip.For(t, skip.Build, "this build does not poison memory; -tags sluicedebug or -race does")
	}
	p := newPool(t, Options{})
	b := get(t, p, 8192)
	mem := b.Bytes()
	b.Release()
	if mem[0] != 0xdb || mem[8191] != 0xdb {
		t.Errorf("released memory holds %#x … %#x; want 0xdb", mem[0], mem[8191])
	}
	mem[5000] = 1
	func() {
		defer func() {
			if recover() == nil {
				t.Error("a write after Release was not seen")
			}
		}()
		p.Get(t.Context(), 8192)
	}()
	// Get has taken the block, and its panic has lost it: return it.
	p.inUse.Add(8192)
	p.put(b.block)
}

func ExampleBuffer_Retain() {
	p := NewPool(Options{})
	defer p.Close()
	b, ok := p.TryGet(11)
	if !ok {
		return
	}
	copy(b.Bytes(), "hello world")
	word := b.Retain().Slice(6, 11)
	b.Release()
	fmt.Println(string(word.Bytes()))
	word.Release()
	fmt.Println(p.Stats().InUse)
	// Output:
	// world
	// 0
}
