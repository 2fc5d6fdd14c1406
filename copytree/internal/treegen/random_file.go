package treegen

// borders has sizes at which copies change their way: sizes of blocks, pages and buffers.
var borders = []int64{0, 1, 511, 512, 513, 4095, 4096, 4097, 8192, 65535, 65536, 65537, 128 << 10, 256<<10 + 1, 1<<20 - 1, 1 << 20, 2<<20 + 3}

// file makes a File with content.
func (r *random) file() Node {
	n := Node{Kind: File, Size: min(r.size(), r.o.MaxFile)}
	switch r.IntN(8) {
	case 0: // only a hole
	case 1:
		n.Data = r.scattered(n.Size)
	case 2:
		n.Data = r.extent(n.Size/2&^0xfff, n.Size) // a leading hole
	case 3:
		n.Data = r.extent(0, n.Size/2&^0xfff) // a hole at the end
	case 4:
		n.Data = []Extent{{0, n.Size, Zeros}}
	default:
		n.Data = []Extent{{0, n.Size, r.fill()}}
	}
	if n.Size == 0 {
		n.Data = nil
	}
	return n
}

// size returns a size, usually a small one, so that many trees can be made.
func (r *random) size() int64 {
	switch r.IntN(10) {
	case 0:
		return r.Int64N(4 << 20)
	case 1, 2:
		return r.Int64N(200 << 10)
	case 3, 4:
		return r.Int64N(9000)
	}
	few := len(borders)
	if r.IntN(3) > 0 {
		few -= 5
	}
	return borders[r.IntN(few)]
}

// extent returns the range from off to end, if it is not empty.
func (r *random) extent(off, end int64) []Extent {
	if off >= end {
		return nil
	}
	return []Extent{{off, end - off, r.content()}}
}

// scattered returns many extents with holes between them. They usually begin and end at pages.
func (r *random) scattered(size int64) (all []Extent) {
	for off := r.gap(); off < size && len(all) < 60; off += r.gap() {
		n := min(r.gap(), size-off)
		if n > 0 {
			all = append(all, Extent{off, n, r.content()})
		}
		off += n
	}
	return all
}

func (r *random) gap() int64 {
	if r.IntN(5) == 0 {
		return r.Int64N(30000)
	}
	return r.Int64N(12) << 12
}

func (r *random) content() int64 {
	switch r.IntN(8) {
	case 0:
		return Zeros
	case 1:
		return Unwritten
	}
	return r.fill()
}

func (r *random) fill() int64 { return 1 + r.Int64N(1<<20) }
