package batch

import (
	"testing"
)

// TestBatchPlace checks that each operation has another place, one after the other.
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
