package sim

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// never is when held operations are due.
const never = time.Duration(1<<63 - 1)

// instant divides the times at which operations are due, unless they take no time. A test that
// wakes its goroutines at other times has one event at a time.
const instant = 64

// pendingOp is an operation in flight. Its fate is decided when it is submitted, so that it does
// not depend on when it is reaped.
type pendingOp struct {
	op     *driver.Op
	queue  *Queue // nil for a plain call
	due    time.Duration
	takes  time.Duration // how long it takes, once it is not held any more
	serial uint64        // the order of operations that are due at the same time
	file   *file         // the file of FD at submission, or nil
	short  float64
	errno  syscall.Errno // 0 if it does not fail
	// syncUntil is for a sync: the number of changes to the file before its submission. The sync
	// makes these durable, and no later ones. namesUntil is the same for the names.
	syncUntil, namesUntil int

	refused bool // FD was not opened for it
	// syncs is the sync that follows a write with O_SYNC or O_DSYNC, for the bytes of the write
	// alone; Nop if no sync follows.
	syncs  driver.Code
	direct bool // FD was opened with O_DIRECT
	// ending is true after a Cancel. The device no longer holds the operation up, whether or not
	// the Cancel was too late.
	ending bool
}

// pendingOps is sorted by due.
type pendingOps []*pendingOp

func (p *pendingOps) add(f *pendingOp) {
	i, _ := slices.BinarySearchFunc(*p, f, func(a, b *pendingOp) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.serial, b.serial))
	})
	*p = slices.Insert(*p, i, f)
}

// take removes the flight of op, or returns nil if it is not in flight.
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

// opKey identifies operations that do the same. look is true for a look into the page cache.
type opKey struct {
	file, size int
	off        int64
	code       driver.Code
	look       bool
}

// random returns the random numbers of the next operation with key k. It must be called with mu
// held.
func (d *Disk) random(k opKey) *rand.Rand {
	d.seen[k]++
	h := uint64(14695981039346656037) // FNV-1a, by words
	for _, w := range []uint64{uint64(k.file), uint64(k.size), uint64(k.off), uint64(k.code), d.seen[k]} {
		h = (h ^ w) * 1099511628211
		h ^= h >> 29
	}
	if k.look {
		h = ^h
	}
	return rand.New(rand.NewPCG(d.o.Seed, h))
}

// submit makes a pendingOp of op, and decides its fate. q is nil for a plain call. It must be
// called with mu held.
func (d *Disk) submit(op *driver.Op, q *Queue) *pendingOp {
	p := &pendingOp{op: op, queue: q, file: d.fileOf(int(op.FD))}
	if p.file != nil {
		p.refused, p.syncs, p.direct = modeOf(int(op.FD), op.Code)
	}
	d.decide(p)
	return p
}

// decide decides the fate of p, which is submitted now. It must be called with mu held.
func (d *Disk) decide(p *pendingOp) {
	d.serial++
	p.serial, p.namesUntil = d.serial, d.names.last()
	op := p.op
	k := opKey{size: len(op.Buf), off: op.Off, code: op.Code}
	if p.file != nil {
		k.file = p.file.serial
		p.syncUntil = p.file.changes
	} else {
		// Operations on no file, which tests submit by the hundred, are all alike.
		k.file = -int(d.serial)
	}
	// All numbers are drawn for every operation, so that its fate does not depend on its kind.
	r := d.random(k)
	latency, short, fail := r.Int64N(int64(d.o.Latency)+1), r.Float64(), r.Float64()
	portion, errno := r.Float64(), d.o.Errnos[r.IntN(len(d.o.Errnos))]
	p.takes = time.Duration(latency)
	if d.o.Ordered {
		p.takes = d.o.Latency
	}
	if short < d.o.Short {
		p.short = 1 - portion
	}
	if fail < d.o.Fail {
		p.errno = errno
	}
	if p.queue == nil && p.errno == syscall.ECANCELED {
		p.errno = 0 // nothing cancels a plain call
	}
	if e := d.faultOf(op); e != 0 {
		p.errno = e
	}
	p.due = d.dueIn(p.takes)
	if d.hold != nil && d.hold(op) || p.file != nil && d.frozen[p.file.device] {
		p.due = never
	}
}

// dueIn returns when an operation that takes that long is due. It must be called with mu held.
func (d *Disk) dueIn(takes time.Duration) time.Duration {
	at := d.clock() + takes
	if !d.o.Timed || takes == 0 {
		return at
	}
	at = (at/instant + 1) * instant
	for d.due[at] {
		at += instant
	}
	d.due[at] = true
	return at
}

// Hold holds later operations for which match returns true, until Release, Cancel or Close. match
// must not use the disk.
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
	d.resume(func(p *pendingOp) bool { return p.due == never && (p.file == nil || !d.frozen[p.file.device]) }, 0)
}

// Freeze keeps devices from performing operations, also those in flight, until Thaw. Without
// arguments it freezes all devices.
func (d *Disk) Freeze(devices ...uint64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(devices) == 0 {
		for i := range d.o.Devices {
			devices = append(devices, FirstDevice+uint64(i))
		}
	}
	for _, device := range devices {
		d.frozen[device] = true
	}
	freeze := func(ops *pendingOps) {
		for _, p := range slices.Clone(*ops) {
			if p.file != nil && d.frozen[p.file.device] && !p.ending {
				ops.take(p.op)
				delete(d.due, p.due)
				p.due = never
				ops.add(p)
			}
		}
	}
	for _, q := range d.queues {
		freeze(&q.pending)
	}
	freeze(&d.calls)
}

// Thaw ends all Freezes. The operations that were held up take as long as if they had been
// submitted now.
func (d *Disk) Thaw() {
	d.mu.Lock()
	defer d.mu.Unlock()
	clear(d.frozen)
	d.resume(func(p *pendingOp) bool { return p.due == never && (d.hold == nil || !d.hold(p.op)) }, 1)
}

// resume makes the operations for which which returns true due: after the times that they take if
// times is 1, and at once if it is 0. It must be called with mu held.
func (d *Disk) resume(which func(*pendingOp) bool, times time.Duration) {
	again := func(ops *pendingOps) {
		for _, p := range slices.Clone(*ops) {
			if which(p) {
				ops.take(p.op)
				delete(d.due, p.due)
				p.due = d.dueIn(p.takes * times)
				ops.add(p)
			}
		}
	}
	for _, q := range d.queues {
		again(&q.pending)
		q.signal()
	}
	again(&d.calls)
	close(d.changed)
	d.changed = make(chan struct{})
}

// Fault is an error that a program has asked for.
type Fault struct {
	Match func(op *driver.Op) bool
	After int // how many matching operations pass before
	Errno syscall.Errno
	done  bool
}

// Inject makes an operation fail.
func (d *Disk) Inject(f *Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = append(d.faults, f)
}

// faultOf returns the injected error for op, or 0.
func (d *Disk) faultOf(op *driver.Op) (errno syscall.Errno) {
	for _, f := range d.faults {
		if f.done || !f.Match(op) {
			continue
		}
		if f.After > 0 {
			f.After--
			continue
		}
		f.done, errno = true, f.Errno
	}
	d.faults = slices.DeleteFunc(d.faults, func(f *Fault) bool { return f.done })
	return errno
}
