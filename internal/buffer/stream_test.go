package buffer

import (
	"math/rand/v2"
	"testing"

	"github.com/sluiceio/sluice/internal/test/seed"
)

func TestDivide(t *testing.T) {
	p := newPool(t, Options{Limit: 256 << 20})
	for _, c := range []struct {
		size, count int
		run, runs   int
	}{
		{4 << 10, 1, 4 << 10, 1},
		{4 << 10, 2, 4 << 10, 2},
		{4 << 10, 3, 4 << 10, 3},
		{4 << 10, 4, 8 << 10, 2},
		{4 << 10, 10, 32 << 10, 2},
		{4 << 10, 50, 128 << 10, 2},
		{4 << 10, 640, 128 << 10, 20},
		{12 << 10, 10, 60 << 10, 2},
		{64 << 10, 5, 128 << 10, 2},
		{100 << 10, 4, 100 << 10, 4},
		{512 << 10, 5, 512 << 10, 5},
		{2<<20 + 4096, 5, 2<<20 + 4096, 3}, // each takes 4 MiB
		{128 << 20, 5, 128 << 20, 2},       // the limit
	} {
		want := Layout{Buffer: c.size, Run: c.run, Runs: c.runs}
		if l := p.Divide(c.size, c.count); l != want {
			t.Errorf("Divide(%d, %d) = %+v; want %+v", c.size, c.count, l, want)
		}
	}
}

// Every division of a stream's memory has whole buffers and keeps to the bounds.
func TestDivideBounds(t *testing.T) {
	r := rand.New(rand.NewPCG(seed.Of(t), 0))
	for range 100_000 {
		size, count := (1+r.IntN(1<<r.IntN(12)))*4096, 1+r.IntN(1<<r.IntN(17))
		p := Pool{limit: int64(max(slabSize, BlockSize(size))) << r.IntN(8)}
		l := p.Divide(size, count)
		memory := int64(l.Runs) * int64(BlockSize(l.Run))
		most := int64(size)*int64(count) + extraMemory
		if l.Buffer != size || l.Run < size || l.Run%size != 0 || l.Runs < 1 || l.Runs > count || memory > p.limit ||
			l.Runs > 1 && memory > most || l.Run > size && l.Run > maxRun {
			t.Fatalf("Divide(%d, %d) = %+v with a limit of %d", size, count, l, p.limit)
		}
	}
}
