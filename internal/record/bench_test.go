package record

import "testing"

// The cost of recording an operation on the cached path, without two readings of the clock.
func BenchmarkPut(b *testing.B) {
	r := New(Options{Events: 1 << 18})
	for b.Loop() {
		r.PutOp(&Op{Queued: 1})
	}
}

func BenchmarkPutTimed(b *testing.B) {
	r := New(Options{Events: 1 << 18})
	r.Start()
	var h Hook
	h.Set(r)
	var ref FileRef
	for b.Loop() {
		at := h.Now()
		h.Op(&Op{Queued: at, Woken: h.Now()}, &ref, "name", nil)
	}
}

func BenchmarkOff(b *testing.B) {
	var h Hook
	for b.Loop() {
		if h.Now() != 0 {
			b.Fatal("on")
		}
	}
}

func BenchmarkPutParallel(b *testing.B) {
	r := New(Options{Events: 1 << 18})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			r.PutOp(&Op{Queued: 1})
		}
	})
}
