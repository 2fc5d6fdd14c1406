package sim

import (
	"bytes"
	"math/rand/v2"
)

// file is one file in two versions: as programs see it, and as it is on the disk.
// The journal is the difference.
type file struct {
	data    []byte // as reads return it
	durable []byte // what is certain to be on the disk
	// journal holds the writes that are in data and may not be on the disk, in
	// their order. written is the number of all writes so far; the journal has
	// the last of them.
	journal []write
	written int
}

type write struct {
	off  int64
	data []byte
}

// at returns the bytes from off on.
func (f *file) at(off int64) []byte {
	return f.data[min(off, int64(len(f.data))):]
}

func (f *file) write(off int64, b []byte) {
	if len(b) == 0 {
		return
	}
	w := write{off, bytes.Clone(b)}
	f.data = w.onto(f.data)
	f.journal = append(f.journal, w)
	f.written++
}

// onto returns the image after w.
func (w write) onto(image []byte) []byte {
	if grow := w.off + int64(len(w.data)) - int64(len(image)); grow > 0 {
		image = append(image, make([]byte, grow)...)
	}
	copy(image[w.off:], w.data)
	return image
}

// take removes and returns the writes before number until from the journal.
func (f *file) take(until int) []write {
	n := max(0, until-(f.written-len(f.journal)))
	ws := f.journal[:n:n]
	f.journal = f.journal[n:]
	return ws
}

// sync makes the writes before number until durable.
func (f *file) sync(until int) {
	for _, w := range f.take(until) {
		f.durable = w.onto(f.durable)
	}
}

// failSync is a failed sync: some of the writes reach the disk, and all of them count as
// durable from then on.
func (f *file) failSync(until int, r *rand.Rand, sector int) {
	for _, w := range f.take(until) {
		f.durable = w.torn(f.durable, r, sector)
	}
}

// torn returns the image after a write during which the power failed. All of the
// write may be there, nothing, or some of its sectors. Each sector is either old or
// new.
func (w write) torn(image []byte, r *rand.Rand, sector int) []byte {
	chance := []float64{0, 0.5, 1}[r.IntN(3)]
	for off, b := w.off, w.data; len(b) > 0; {
		n := min(len(b), sector-int(off%int64(sector)))
		if r.Float64() < chance {
			image = write{off, b[:n]}.onto(image)
		}
		off, b = off+int64(n), b[n:]
	}
	return image
}
