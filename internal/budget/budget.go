// Package budget bounds how many threads of the process wait in system calls for a device.
//
//	p, err := b.Acquire(ctx, budget.Reads, ctx.Done() != nil)
//	if err != nil {
//		return err // ctx has ended
//	}
//	n, err := unix.Pread(fd, b, off) // the thread may wait here
//	p.Release()
//
// Each device has a Budget. If a device hangs, its calls keep the permits of its Budget, and the
// calls to other devices go on. In a Budget each kind of call leaves permits to the other kinds
// (taken.go).
//
// # Concurrency
//
// All methods may be called at the same time, except Init.
package budget

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/sluiceio/sluice/internal/list"
	"github.com/sluiceio/sluice/internal/probe"
	"github.com/sluiceio/sluice/internal/spare"
	"github.com/sluiceio/sluice/internal/sys"
)

// Both are chosen, as a promise how many threads there are: docs/decisions/0004-budget.md.
const (
	// Least is how many threads may wait for a device, if there are no more processors than that.
	Least = 16
	// Parallel replaces Least where threads are all the parallelism that there is: if no driver
	// queues operations, or if the driver would need a thread for them, too.
	Parallel = 64
)

// All is what the Budgets of a Scheduler have in common.
type All struct {
	most  int32        // the most permits of all Budgets together; 0 is no such bound
	ask   func() int   // asks how many processors the program may use
	procs atomic.Int32 // the last result of ask
	// keep sleeps for a moment and keeps the processor
	keep     func() (took time.Duration, ok bool)
	parallel atomic.Bool       // see Parallel; for all devices
	mu       probe.Mutex       // guards the queues of all Budgets
	used     int32             // permits taken, of all Budgets. Under mu; not counted if most is 0
	starved  list.List[Budget] // the Budgets for which goroutines wait. Under mu
	arrivals uint64            // how many goroutines have begun to wait. Under mu
	unused   spare.Pool[waiter]
}

// Init sets the most permits of all Budgets together; 0 is no such bound. Processors returns how
// many processors the program may use, which can change. Init must be called first.
func (a *All) Init(most int, processors func() int) {
	a.most, a.ask, a.keep = int32(min(most, Most)), processors, sys.SleepOnProcessor
	a.procs.Store(int32(a.ask()))
}

// Budget bounds how many goroutines make calls to a device that wait, at a time. A free permit goes
// to whoever comes first, even if others wait: docs/decisions/0004-budget.md. It costs two atomic
// read-modify-write operations. If all Budgets share a bound, it also takes All.mu.
type Budget struct {
	all      *All
	parallel atomic.Bool // see Parallel
	used     probe.Int64 // taken
	waiting  probe.Int32 // goroutines that wait. Written under All.mu
	queues   [2 * Kinds]list.List[waiter]
	links    list.Node[Budget] // in All.starved while goroutines wait
}

// Init makes b a Budget of a. It must be called before all other methods.
func (b *Budget) Init(a *All) { b.all = a }

// Permit allows one call. The zero Permit allows nothing.
type Permit struct {
	b    *Budget
	kind Kind
	ends bool // the context of the call may end
}

// Limit returns the number of permits: as many as processors, at least Least or Parallel.
func (b *Budget) Limit() int32 {
	a := b.all
	n := max(Least, a.procs.Load())
	if b.parallel.Load() || a.parallel.Load() {
		n = max(Parallel, n)
	}
	if a.most > 0 {
		n = min(n, a.most)
	}
	return min(n, Most)
}

// Widen gives b Parallel permits, if it has fewer, for good: the reason, the file system, seldom
// goes away. If it does, only calls that wait anyway may hold more threads.
func (b *Budget) Widen() {
	if !b.parallel.Swap(true) {
		b.all.wakeMore()
	}
}

// Widen gives all Budgets Parallel permits, also the Budgets that are made later.
func (a *All) Widen() {
	if !a.parallel.Swap(true) {
		a.wakeMore()
	}
}

// AskProcessors asks how many processors the program may use, which can change while it runs. A
// goroutine that is about to wait calls it.
func (a *All) AskProcessors() {
	n := int32(a.ask())
	if before := a.procs.Load(); before != n && a.procs.CompareAndSwap(before, n) && before < n {
		a.wakeMore()
	}
}

// Processors returns how many processors the program could use when that was last asked.
func (a *All) Processors() int { return int(a.procs.Load()) }

// InUse returns the number of permits that are taken.
func (b *Budget) InUse() int32 { return taken(b.used.Load()).all() }

// Full reports whether no permit is free for a call of a kind.
func (b *Budget) Full(k Kind) bool { return !taken(b.used.Load()).allows(k, false, b.Limit()) }

// Waiting returns the number of goroutines that wait for a permit.
func (b *Budget) Waiting() int { return int(b.waiting.Load()) }

// TryAcquire takes a permit for a call of a kind, if one is free.
func (b *Budget) TryAcquire(k Kind) (Permit, bool) { return b.TryAcquireBelow(k, Most) }

// TryAcquireBelow takes a permit for a call, if one is free and fewer than most are taken.
func (b *Budget) TryAcquireBelow(k Kind, most int32) (Permit, bool) {
	if p := (Permit{b, k, false}); p.take(most) {
		return p, true
	}
	return Permit{}, false
}

// TryAcquireOfKind takes a permit for a call, if one is free and the kind has fewer than most. Set
// ends as for Acquire.
func (b *Budget) TryAcquireOfKind(k Kind, most int32, ends bool) (Permit, bool) {
	if taken(b.used.Load()).of(k) >= most { // a hint: calls that begin at the same time may be more
		return Permit{}, false
	}
	if p := (Permit{b, k, ends}); p.take(Most) {
		return p, true
	}
	return Permit{}, false
}

// take takes p, if there is one and fewer than most permits are taken.
func (p Permit) take(most int32) bool {
	a := p.b.all
	if a.most == 0 {
		return p.takeLocked(most)
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return p.takeLocked(most)
}

// takeLocked is take. If All.most is set, All.mu must be held.
func (p Permit) takeLocked(most int32) bool {
	b, a, limit := p.b, p.b.all, p.b.Limit()
	for a.most == 0 || a.used < a.most {
		t := taken(b.used.Load())
		if t.all() >= most || !t.allows(p.kind, p.ends, limit) {
			return false
		}
		if b.used.CompareAndSwap(int64(t), int64(t+p.unit())) {
			if a.most > 0 {
				a.used++
			}
			return true
		}
	}
	return false
}

// Acquire takes a permit for a call of a kind. If none is free it waits for one. If ctx ends first,
// it returns ctx's error. Set ends if the context of the call itself may end.
func (b *Budget) Acquire(ctx context.Context, k Kind, ends bool) (Permit, error) {
	p := Permit{b, k, ends}
	if p.take(Most) {
		return p, nil
	}
	b.all.AskProcessors()
	if b.keepProcessor(p) {
		return p, nil
	}
	return p.wait(ctx)
}

// keepFor is how long a goroutine keeps its processor before it waits for a permit: ten times as
// long as a thread in a system call keeps it, before the Go runtime's monitor takes it away after
// 20 µs. Ten is measured: docs/results/mechanisms.md.
const keepFor = 10 * 20 * time.Microsecond

// keepProcessor takes p if there is a permit soon. Until then the caller keeps its processor (a P
// of Go's scheduler) idle. It does nothing where permits are not free soon: if as many goroutines
// wait as there are permits, and for an fsync, because other fsyncs may have the permits. The
// reasons are in docs/decisions/0004-budget.md.
func (b *Budget) keepProcessor(p Permit) (ok bool) {
	a := b.all
	if a.Processors() == 1 || p.kind == Syncs {
		return false
	}
	for kept := time.Duration(0); kept < keepFor && b.waiting.Load() < b.Limit(); {
		took, ok := a.keep()
		if !ok {
			return false
		}
		kept += took
		if p.take(Most) {
			return true
		}
	}
	return false
}

// Release gives a permit back after its call.
func (p Permit) Release() {
	b := p.b
	if b == nil {
		return
	}
	b.used.Add(-int64(p.unit()))
	a := b.all
	if a.most == 0 && b.waiting.Load() == 0 {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.most > 0 {
		a.used--
	}
	a.wakeLocked(b, p.ends)
}
