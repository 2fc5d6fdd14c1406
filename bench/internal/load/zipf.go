package load

import (
	"math"
	"math/rand/v2"
	"sort"
)

// skew is the exponent of Zipf's law in ReadSkewed, as in YCSB.
const skew = 0.99

// zipf draws blocks by Zipf's law. Popular blocks lie anywhere in the file.
type zipf struct {
	sums   []float64 // sums[i] is the weight of the blocks of rank 0 to i
	blocks []uint32  // by rank
	drawn  []uint32  // result of the last draw
}

func newZipf(blocks int64) *zipf {
	z := &zipf{sums: make([]float64, blocks), blocks: firstNumbers(blocks), drawn: firstNumbers(1 << 18)}
	sum := 0.0
	for i := range z.sums {
		sum += math.Pow(float64(i+1), -skew)
		z.sums[i] = sum
	}
	shuffle(z.blocks, 0) // every slice of every side has the same popular blocks
	return z
}

// draw returns the blocks of a slice. Drawing a block takes longer than finding it in a cache, so
// all are drawn before the slice. The next draw overwrites them.
func (z *zipf) draw(seed uint64) []uint32 {
	rng := rand.New(rand.NewPCG(seed, 0))
	for i := range z.drawn {
		x := rng.Float64() * z.sums[len(z.sums)-1]
		z.drawn[i] = z.blocks[sort.SearchFloat64s(z.sums, x)]
	}
	return z.drawn
}
