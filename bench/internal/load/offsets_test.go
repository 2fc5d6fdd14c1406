package load

import (
	"math"
	"slices"
	"testing"
)

func TestColdOrderHasEachBlockOnce(t *testing.T) {
	const blocks, size = 1000, 4096
	o := newOrder(Load{Kind: ReadCold, Size: size, Goroutines: 2}, blocks*size)
	for slice := range uint64(2) {
		offsets := o.slice(slice, 2)
		clients := []func() (int64, bool){offsets(0), offsets(1)}
		seen := make(map[int64]bool)
		for i := range blocks {
			off, ok := clients[i%2]()
			if !ok || off%size != 0 || off < 0 || off >= blocks*size || seen[off] {
				t.Fatalf("offset %d, %v is out of range or not the first of its kind", off, ok)
			}
			seen[off] = true
		}
		if off, ok := clients[0](); ok {
			t.Errorf("after all blocks comes %d", off)
		}
	}
}

func TestScanOffsets(t *testing.T) {
	const size, span = 4096, 10*4096 + 100 // the partial block at the end is not used
	for _, test := range []struct {
		cold bool
		want []int64
	}{
		{true, []int64{8, 9}},
		{false, []int64{8, 9, 0, 1}},
	} {
		next := scanOffsets(8*size, span, size, test.cold)
		for _, want := range test.want {
			if off, ok := next(); !ok || off != want*size {
				t.Errorf("cold %v: offset %d, %v; want block %d", test.cold, off, ok, want)
			}
		}
		if _, ok := next(); ok == test.cold {
			t.Errorf("cold %v: at the end of the file it goes on: %v", test.cold, ok)
		}
	}
	for seed := range uint64(100) {
		if start := ScanStart(seed, span, size); start%size != 0 || start > span/4 {
			t.Errorf("seed %d starts at %d of %d", seed, start, span)
		}
	}
}

// TestZipf checks that the most popular block has its share of 1/H. It also checks that the seed
// determines the draw, but not which blocks are popular.
func TestZipf(t *testing.T) {
	const blocks = 1000
	z := newZipf(blocks)
	count := make(map[uint32]int)
	drawn := slices.Clone(z.draw(1))
	for _, b := range drawn {
		count[b]++
	}
	top, sum := z.blocks[0], 0.0
	for i := range blocks {
		sum += math.Pow(float64(i+1), -0.99)
	}
	if got, want := float64(count[top])/float64(len(drawn)), 1/sum; got < want*0.9 || got > want*1.1 {
		t.Errorf("the most popular block is %.4f of what is drawn; want %.4f", got, want)
	}
	if other := newZipf(blocks); other.blocks[0] != top {
		t.Errorf("the most popular block is %d and %d", top, other.blocks[0])
	}
	if slices.Equal(drawn, z.draw(2)) {
		t.Error("seeds 1 and 2 draw the same")
	}
}

func TestRandomOffsetsDifferByClient(t *testing.T) {
	a, b := randomOffsets(1, 0, 1<<30, 1), randomOffsets(1, 1, 1<<30, 1)
	again := randomOffsets(1, 0, 1<<30, 1)
	offA, _ := a()
	offB, _ := b()
	if offA == offB {
		t.Errorf("clients 0 and 1 both start at %d", offA)
	}
	if off, _ := again(); off != offA {
		t.Errorf("same seed and client start at %d and %d", offA, off)
	}
}
