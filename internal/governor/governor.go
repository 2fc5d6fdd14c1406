// Package governor chooses whether the operations of a device are queued or are plain calls, by trying both.
//
// A plain call is quicker than the queue, but its thread keeps its processor, a P of Go's scheduler, until the
// runtime takes that away. So which is better depends on the device, the processors, the kernel and the program.
// A Governor measures it: in neighbouring epochs of a few milliseconds it has operations performed in the one and
// in the other way, and compares how many began in a second (Machine). What package os would do, a plain call for
// each operation, is one of the choices.
//
// The models are the hill climbing of .NET's thread pool, and Netflix' concurrency-limits.
//
// # Concurrency
//
// All methods of Governor may be called at the same time.
package governor

import (
	"sync"
	"sync/atomic"
	"time"
)

// Governor is the Governor of one kind of operations of a device. The zero value is ready to use.
type Governor struct {
	ops    atomic.Uint32 // operations counted
	choice atomic.Uint32 // the Choice in force. Written under mu
	alone  atomic.Bool   // an operation has found nothing in flight since the last sample

	mu      sync.Mutex
	epoch   epoch   // under mu
	machine Machine // under mu
}

// sampleEvery is how many operations there are between two readings of the clock.
const sampleEvery = 16

// Choose counts an operation that is about to begin, and returns how it is to be performed. InFlight is how many
// operations the device has. Now is a monotonic clock, and few is how many threads the processors serve well: with
// no more in flight than that, the first guess is Plain.
func (g *Governor) Choose(inFlight, few int32, now func() time.Duration) Choice {
	if inFlight == 0 && !g.alone.Load() {
		g.alone.Store(true)
	}
	if n := g.ops.Add(1); n%sampleEvery == 0 && g.mu.TryLock() {
		g.sample(n, inFlight, few, now())
		g.mu.Unlock()
	}
	return Choice(g.choice.Load())
}

// sample reads the clock after n operations. It must be called with mu held.
func (g *Governor) sample(n uint32, inFlight, few int32, now time.Duration) {
	if n == sampleEvery && inFlight <= few {
		g.machine.Start(Plain)
		g.choice.Store(uint32(Plain))
	}
	if rate, ended := g.epoch.sample(n, inFlight, now, g.alone.Swap(false)); ended {
		g.machine.Epoch(rate)
		g.choice.Store(uint32(g.machine.Choice()))
	}
}

// State returns what is in force, and the last comparison.
func (g *Governor) State() (Choice, Comparison) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.machine.best, g.machine.Last()
}

// Operations returns how many operations were counted, modulo 2^32.
func (g *Governor) Operations() uint32 { return g.ops.Load() }
