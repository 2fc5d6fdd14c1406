package load

import (
	"math"
	"math/rand/v2"
	"sort"
)

// skew is the exponent of Zipf's law in ReadSkewed, that of YCSB.
const skew = 0.99

// zipf draws blocks by Zipf's law. What is drawn often lies anywhere in the
// file.
type zipf struct {
	sums   []float64 // sums[i] is the weight of the blocks of rank 0 to i
	blocks []uint32  // by rank
	drawn  []uint32  // of the last draw
}

func newZipf(blocks int64) *zipf {
	z := &zipf{sums: make([]float64, blocks), blocks: firstNumbers(blocks), drawn: firstNumbers(1 << 18)}
	sum := 0.0
	for i := range z.sums {
		sum += math.Pow(float64(i+1), -skew)
		z.sums[i] = sum
	}
	shuffle(z.blocks, 0) // the same blocks are popular in every slice of every side
	return z
}

// draw returns blocks as they are asked for in a slice. They are drawn
// beforehand, as to draw one takes longer than to find it in a cache; the next
// draw overwrites them.
func (z *zipf) draw(seed uint64) []uint32 {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range z.drawn {
		x := rng.Float64() * z.sums[len(z.sums)-1]
		z.drawn[i] = z.blocks[sort.SearchFloat64s(z.sums, x)]
	}
	return z.drawn
}
