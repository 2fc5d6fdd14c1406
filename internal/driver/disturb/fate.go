package disturb

import (
	"cmp"
	"math"
	"math/rand/v2"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// fate is what happens to an operation. It is decided when the operation is submitted.
type fate struct {
	op       *driver.Op
	original driver.Op // as the caller submitted it
	key      uint64    // of Driver.seen
	rank     uint64    // the order among operations that the inner driver returns at once
	hold     time.Duration
	short    int // the bytes at the end of a read that are left out
	fails    bool
	drops    bool // the page cache drops the bytes before they are read,
	whole    bool // or the whole file

	held bool // the inner driver has returned it, and Reap has not
	due  time.Time
}

// seenMost is the number of different operations that are counted. After so many, all counts begin
// again.
const seenMost = 64 << 10

// page is the length that a short read of a file with O_DIRECT is a multiple of.
const page = 4 << 10 // 4 KiB

// hash returns a hash of words.
func hash(words ...uint64) uint64 {
	h := uint64(14695981039346656037) // FNV-1a, by words
	for _, w := range words {
		h = (h ^ w) * 1099511628211
		h ^= h >> 29
	}
	return h
}

// decide decides on an operation. It must be called with mu held.
func (d *Driver) decide(op *driver.Op) *fate {
	h := hash(uint64(op.Code), uint64(op.Off), uint64(len(op.Buf)))
	f := &fate{op: op, original: *op, key: h}
	if len(d.seen) == seenMost {
		clear(d.seen)
	}
	d.seen[f.key]++
	r := rand.New(rand.NewPCG(d.o.Seed, hash(h, uint64(d.seen[f.key]))))
	// All numbers are drawn for every operation, so that its fate does not depend on the Options.
	f.rank = r.Uint64()
	hold, part := r.Float64(), r.Float64()
	short, left := r.Float64(), r.Float64()
	fails, drops, whole := r.Float64(), r.Float64(), r.Float64()
	d.decided++
	share := Share(d.decided)
	f.hold = holdFor(d.o.Longest, hold/share, part)
	f.fails = fails < d.o.Interrupted
	if op.Code != driver.Read {
		return f
	}
	f.drops = drops/share < d.o.Dropped && op.Flags&driver.Direct == 0
	f.whole = whole < 1.0/8
	if short < d.o.Short && !f.fails {
		f.short = cut(op, left)
	}
	return f
}

// usual is how many operations of a driver are disturbed as Options say.
const usual = 16 << 10

// Share returns by which factor what costs time is rarer for operation number n, from 1. A program
// that makes a million operations then takes minutes, and not hours.
func Share(n uint64) float64 { return min(1, usual/float64(n)) }

// holdFor returns how long a completion is held back. kind is a random number, and part one below
// 1.
func holdFor(longest time.Duration, kind, part float64) time.Duration {
	switch {
	case kind < 1.0/16:
	case kind < 1.0/2:
		longest /= 16
	default:
		return 0
	}
	return time.Duration(part * float64(longest))
}

// cut returns how many bytes a short read leaves out: at least one, but not all. left is a random
// number below 1. The kernel refuses a read that would pass the last offset, and may accept a part.
func cut(op *driver.Op, left float64) int {
	if op.Off > math.MaxInt64-int64(len(op.Buf)) {
		return 0
	}
	unit := 1
	if op.Flags&driver.Direct != 0 {
		unit = page
	}
	units := len(op.Buf) / unit
	if units < 2 || len(op.Buf)%unit != 0 {
		return 0
	}
	return unit * (1 + int(left*float64(units-1)))
}

// disguise changes the operation for the inner driver.
func (f *fate) disguise() {
	switch {
	case f.fails:
		f.op.Code, f.op.Flags, f.op.FD, f.op.Buf, f.op.Reg = driver.Nop, 0, -1, nil, 0
	case f.short > 0:
		f.op.Buf = f.op.Buf[:len(f.op.Buf)-f.short]
	}
}

// restore undoes disguise.
func (f *fate) restore() {
	o := &f.original
	f.op.Code, f.op.Flags, f.op.FD, f.op.Buf, f.op.Reg = o.Code, o.Flags, o.FD, o.Buf, o.Reg
}

// settle restores an operation that the inner driver has returned, and sets its result.
func (f *fate) settle() {
	f.restore()
	if f.fails && f.op.Res != -int32(syscall.ECANCELED) {
		f.op.Res = -int32(syscall.EINTR)
	}
}

// count counts what has happened to the operation.
func (f *fate) count(c *Counts) {
	if f.fails {
		c.Interrupted.Add(1)
	}
	if f.short > 0 && int(f.op.Res) == len(f.op.Buf)-f.short {
		c.Short.Add(1)
	}
}

// before orders operations by the time at which they are due.
func before(a, b *fate) int {
	return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.rank, b.rank))
}
