package sim

import (
	"cmp"
	"slices"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// never is when operations are due that are held.
const never = time.Duration(1<<63 - 1)

// pendingOp is an operation in flight. What happens to it is decided when it is
// submitted, so that it does not depend on when it is reaped.
type pendingOp struct {
	op     *driver.Op
	due    time.Duration
	serial uint64 // the order of operations that are due at the same time
	file   *file  // the file that FD named at submission; nil if none
	short  float64
	errno  syscall.Errno // 0 if it does not fail
	// syncUntil is for a sync: the number of writes to the file that had completed
	// when it was submitted. It makes these durable, and no later ones.
	syncUntil int
}

// pendingOps is sorted by due.
type pendingOps []*pendingOp

func (p *pendingOps) add(f *pendingOp) {
	i, _ := slices.BinarySearchFunc(*p, f, func(a, b *pendingOp) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.serial, b.serial))
	})
	*p = slices.Insert(*p, i, f)
}

// take removes the flight of op; nil if it is not in flight.
func (p *pendingOps) take(op *driver.Op) *pendingOp {
	i := slices.IndexFunc(*p, func(f *pendingOp) bool { return f.op == op })
	if i < 0 {
		return nil
	}
	f := (*p)[i]
	*p = slices.Delete(*p, i, i+1)
	return f
}

// pop removes the first flight if it is due.
func (p *pendingOps) pop(now time.Duration) *pendingOp {
	if len(*p) == 0 || (*p)[0].due > now {
		return nil
	}
	f := (*p)[0]
	*p = slices.Delete(*p, 0, 1)
	return f
}

// enqueue decides what happens to op, and adds it.
func (d *Disk) enqueue(op *driver.Op) {
	d.serial++
	f := &pendingOp{op: op, serial: d.serial, file: d.open[op.FD]}
	// All numbers are drawn for every operation, so that what happens to one does
	// not depend on what the others are.
	latency, short, fail := d.outcomes.Int64N(int64(d.o.Latency)+1), d.outcomes.Float64(), d.outcomes.Float64()
	portion, errno := d.outcomes.Float64(), d.o.Errnos[d.outcomes.IntN(len(d.o.Errnos))]
	f.due = d.now + time.Duration(latency)
	if d.o.Ordered {
		f.due = d.now + d.o.Latency
	}
	if short < d.o.Short {
		f.short = 1 - portion
	}
	if fail < d.o.Fail {
		f.errno = errno
	}
	if f.file != nil {
		f.syncUntil = f.file.written
	}
	if d.hold != nil && d.hold(op) {
		f.due = never
	}
	d.pending.add(f)
}

// Hold keeps operations in flight that are submitted from now on and for which match
// returns true, until Release, Cancel or Close. match must not use the disk.
func (d *Disk) Hold(match func(*driver.Op) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = match
}

// Release completes the operations that are held, and holds no more.
func (d *Disk) Release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = nil
	d.makeDue(func(f *pendingOp) bool { return f.due == never })
}

// makeDue makes operations due now for which which returns true.
func (d *Disk) makeDue(which func(*pendingOp) bool) {
	for _, f := range slices.Clone(d.pending) {
		if which(f) {
			d.pending.take(f.op)
			f.due = d.now
			d.pending.add(f)
		}
	}
	d.changed.Signal()
}
