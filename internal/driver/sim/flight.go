package sim

import (
	"cmp"
	"slices"
	"syscall"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
)

// never is when operations that are held are due.
const never = time.Duration(1<<63 - 1)

// flight is an operation in flight. What it meets with is settled when it is
// submitted, so that it does not depend on when it is reaped.
type flight struct {
	op     *driver.Op
	due    time.Duration
	serial uint64 // orders those that are due at once
	file   *file  // what FD meant at submission; nil if nothing
	short  float64
	errno  syscall.Errno // 0 if it does not fail
	// until is, for a sync, how many writes to the file had come back when
	// it was submitted: those it makes durable. It need not wait for others.
	until int
}

// flights is ordered by when they are due.
type flights []*flight

func (fs *flights) add(f *flight) {
	i, _ := slices.BinarySearchFunc(*fs, f, func(a, b *flight) int {
		return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.serial, b.serial))
	})
	*fs = slices.Insert(*fs, i, f)
}

// take removes the flight of op; nil if it is not in flight.
func (fs *flights) take(op *driver.Op) *flight {
	i := slices.IndexFunc(*fs, func(f *flight) bool { return f.op == op })
	if i < 0 {
		return nil
	}
	f := (*fs)[i]
	*fs = slices.Delete(*fs, i, i+1)
	return f
}

// pop removes the first flight if it is due.
func (fs *flights) pop(now time.Duration) *flight {
	if len(*fs) == 0 || (*fs)[0].due > now {
		return nil
	}
	f := (*fs)[0]
	*fs = slices.Delete(*fs, 0, 1)
	return f
}

// launch settles what op will meet with.
func (d *Disk) launch(op *driver.Op) {
	d.serial++
	f := &flight{op: op, serial: d.serial, file: d.open[op.FD]}
	// Everything is drawn for every operation, so that the fate of one does
	// not depend on what the others are.
	latency, short, fail := d.fate.Int64N(int64(d.o.Latency)+1), d.fate.Float64(), d.fate.Float64()
	portion, errno := d.fate.Float64(), d.o.Errnos[d.fate.IntN(len(d.o.Errnos))]
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
		f.until = f.file.written
	}
	if d.hold != nil && d.hold(op) {
		f.due = never
	}
	d.flights.add(f)
}

// Hold makes operations submitted from now on, for which match says yes, stay
// in flight until Release, Cancel or Close. Match may not use the disk.
func (d *Disk) Hold(match func(*driver.Op) bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = match
}

// Release completes what is held, and holds no more.
func (d *Disk) Release() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.hold = nil
	d.rush(func(f *flight) bool { return f.due == never })
}

// rush makes flights due now.
func (d *Disk) rush(which func(*flight) bool) {
	for _, f := range slices.Clone(d.flights) {
		if which(f) {
			d.flights.take(f.op)
			f.due = d.now
			d.flights.add(f)
		}
	}
	d.changed.Signal()
}
