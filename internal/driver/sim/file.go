package sim

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
)

// file is one file in two versions: as programs see it, and as it is on the disk. The journal is
// the difference.
type file struct {
	serial  int
	device  uint64
	created int // the number of the change of names that gave the file its first name
	// nameless is the number of the change that took its name away, or 0 while it has one. It never
	// gets another name.
	nameless int
	reserved int64    // the end of the room that was allocated beyond the size
	image    *os.File // as programs see it
	// durable has the bytes that are certain to be on the disk, without synced changes in the
	// journal.
	durable []byte
	// journal holds the changes in image that are not in durable, in their order. changes counts
	// all changes so far; the journal has the last of them.
	journal []change
	changes int
	// failedSyncs is how many syncs have failed.
	failedSyncs int
}

// change is a write, or a change of the size if data is nil.
type change struct {
	off  int64 // the size, if data is nil
	data []byte
	// synced is set if the change is on the disk, although earlier changes may not be. It stays in
	// its place, because an earlier write must not undo it.
	synced bool
}

// size returns the size as programs see it.
func (f *file) size() int64 {
	info, err := f.image.Stat()
	if err != nil {
		panic("sim: " + err.Error()) // the image is open while f is known
	}
	return info.Size()
}

// room returns how much of Options.Space the file takes.
func (f *file) room() int64 { return max(f.size(), f.reserved) }

// read reads at off as a program would. It returns 0 at the end.
func (f *file) read(b []byte, off int64) int {
	n, err := f.image.ReadAt(b, off)
	if err != nil && err != io.EOF {
		panic("sim: " + err.Error())
	}
	return n
}

// contents returns all bytes as programs see them.
func (f *file) contents() []byte {
	b := make([]byte, f.size())
	return b[:f.read(b, 0)]
}

func (f *file) write(off int64, b []byte) {
	if len(b) == 0 {
		return
	}
	if _, err := f.image.WriteAt(b, off); err != nil {
		panic("sim: " + err.Error())
	}
	f.note(change{off: off, data: bytes.Clone(b)})
}

func (f *file) note(c change) {
	f.journal = append(f.journal, c)
	f.changes++
}

// noteOthers notes changes in the image other than by write. before is an earlier result of
// contents.
func (f *file) noteOthers(before []byte, sector int) {
	after := f.contents()
	if len(after) != len(before) {
		f.note(change{off: int64(len(after))})
		before = change{off: int64(len(after))}.onto(before)
	}
	for off := 0; off < len(after); off += sector {
		end := min(off+sector, len(after))
		if !bytes.Equal(after[off:end], before[off:end]) {
			f.note(change{off: int64(off), data: bytes.Clone(after[off:end])})
		}
	}
}

// onto returns the image after c.
func (c change) onto(image []byte) []byte {
	end := c.off + int64(len(c.data))
	if grow := end - int64(len(image)); grow > 0 {
		image = append(image, make([]byte, grow)...)
	}
	if c.data == nil {
		return image[:c.off:c.off]
	}
	copy(image[c.off:], c.data)
	return image
}

// take removes and returns the changes before number until from the journal.
func (f *file) take(until int) []change {
	n := max(0, until-(f.changes-len(f.journal)))
	cs := f.journal[:n:n]
	f.journal = f.journal[n:]
	return cs
}

// sync makes the changes before number until durable.
func (f *file) sync(until int) {
	for _, c := range f.take(until) {
		f.durable = c.onto(f.durable)
	}
}

// syncLast makes the last change durable, and no other.
func (f *file) syncLast() {
	f.journal[len(f.journal)-1].synced = true
	for len(f.journal) > 0 && f.journal[0].synced {
		f.sync(f.changes - len(f.journal) + 1)
	}
}

// certain returns the bytes that are certain to be on the disk.
func (f *file) certain() []byte {
	image := bytes.Clone(f.durable)
	for _, c := range f.journal {
		if c.synced {
			image = c.onto(image)
		}
	}
	return image
}

// failSync is a failed sync: some of the changes reach the disk, and all of them count as durable
// from then on.
func (f *file) failSync(until int, r *rand.Rand, sector int) {
	f.failedSyncs++
	for _, c := range f.take(until) {
		f.durable = c.torn(f.durable, r, sector)
	}
}

// torn returns the image after a change during which the power failed. A write may be there in
// full, not at all, or with some of its sectors, each either old or new. A change of the size is
// made or not.
func (c change) torn(image []byte, r *rand.Rand, sector int) []byte {
	if c.synced {
		return c.onto(image)
	}
	chance := []float64{0, 0.5, 1}[r.IntN(3)]
	if c.data == nil {
		if r.Float64() < chance {
			image = c.onto(image)
		}
		return image
	}
	for off, b := c.off, c.data; len(b) > 0; {
		n := min(len(b), sector-int(off%int64(sector)))
		if r.Float64() < chance {
			image = change{off: off, data: b[:n]}.onto(image)
		}
		off, b = off+int64(n), b[n:]
	}
	return image
}
