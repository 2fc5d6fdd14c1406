package load

import (
	"math/rand/v2"
	"sync/atomic"
)

// order determines the offsets of a load's operations.
type order struct {
	load   Load
	span   int64
	blocks int64
	once   []uint32 // random blocks that are used once, all in random order
	zipf   *zipf    // for ReadSkewed
}

func newOrder(l Load, fileSize int64) *order {
	o := &order{load: l, span: l.Span(fileSize), blocks: l.blocks(fileSize)}
	switch {
	case l.Kind.bare() == ReadCold, l.Kind == WriteDirectHot:
		o.once = firstNumbers(o.blocks)
	case l.Kind == ReadSkewed:
		o.zipf = newZipf(o.blocks)
	}
	return o
}

// slice returns, for a slice, the function that maps a client's number to its offsets.
func (o *order) slice(seed uint64, clients int) func(clientNo int) func() (int64, bool) {
	size := int64(o.load.Size)
	switch {
	case o.once != nil:
		shuffle(o.once, seed)
		next := listOffsets(o.once, size)
		return func(int) func() (int64, bool) { return next }
	case o.load.Kind.Scan():
		return func(int) func() (int64, bool) { return scanOffsets(o.start(seed), o.span, size, o.load.Kind.Cold()) }
	case o.load.Kind == ReadSkewed:
		drawn := o.zipf.draw(seed)
		return func(i int) func() (int64, bool) { return drawnOffsets(drawn, i, clients, size) }
	}
	return func(i int) func() (int64, bool) { return randomOffsets(seed, uint64(i), o.blocks, size) }
}

// start returns the offset where a scan begins.
func (o *order) start(seed uint64) int64 { return ScanStart(seed, o.span, o.load.Size) }

// fill returns the offsets that fill a cache: all blocks, or as many as a slice draws. All callers
// share them.
func (o *order) fill() func() (int64, bool) {
	if o.zipf != nil {
		return listOffsets(o.zipf.draw(0), int64(o.load.Size))
	}
	return listOffsets(firstNumbers(o.blocks), int64(o.load.Size))
}

func firstNumbers(n int64) []uint32 {
	v := make([]uint32, n)
	for i := range v {
		v[i] = uint32(i)
	}
	return v
}

func shuffle(v []uint32, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	rng.Shuffle(len(v), func(i, j int) { v[i], v[j] = v[j], v[i] })
}

// randomOffsets returns an endless sequence of random offsets of blocks of size bytes.
func randomOffsets(seed, clientNo uint64, blocks, size int64) func() (int64, bool) {
	rng := rand.New(rand.NewPCG(seed, clientNo))
	return func() (int64, bool) { return rng.Int64N(blocks) * size, true }
}

// listOffsets returns the offsets of the listed blocks, in order. All clients take from the same
// list.
func listOffsets(list []uint32, size int64) func() (int64, bool) {
	var taken atomic.Int64
	return func() (int64, bool) {
		i := taken.Add(1) - 1
		if i >= int64(len(list)) {
			return 0, false
		}
		return int64(list[i]) * size, true
	}
}

// ScanStart returns the offset where a scan of span bytes begins. It is a random block in the first
// quarter, because a cloud disk remembers recent reads.
func ScanStart(seed uint64, span int64, size int) int64 {
	blocks := span / 4 / int64(size)
	if blocks < 2 {
		return 0
	}
	return rand.New(rand.NewPCG(seed, 0)).Int64N(blocks) * int64(size)
}

// scanOffsets returns the offsets of a scan from start on. A cold scan ends at the end of the span.
// Any other scan continues at the beginning.
func scanOffsets(start, span, size int64, cold bool) func() (int64, bool) {
	off := start
	return func() (int64, bool) {
		if off+size > span {
			if cold {
				return 0, false
			}
			off = 0
		}
		at := off
		off += size
		return at, true
	}
}

// drawnOffsets returns the offsets of the drawn blocks, over and over. Each client starts at a
// different block.
func drawnOffsets(drawn []uint32, clientNo, clients int, size int64) func() (int64, bool) {
	i := clientNo * (len(drawn) / clients)
	return func() (int64, bool) {
		i = (i + 1) % len(drawn)
		return int64(drawn[i]) * size, true
	}
}
