// Package chains makes the kernel perform chains of operations, each as one submission.
package chains

import (
	"context"
	"runtime"
	"sync"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/record"
)

// Runner performs chains of operations in the kernel, each as one submission. The chains must only
// read, so that a failed one can be performed again in another way, from its beginning.
//
// One goroutine at a time has the Runner. Its thread ends when Run does. The kernel's workers
// belong to the thread that submits: they are bounded for each thread, and end with it.
type Runner struct {
	Reports
	drv   driver.Linker
	slots []Chain // by the number of the driver's file
	free  []*Chain
	heads []*driver.Op // first operations of chains that are prepared and not staged
	done  []*driver.Op
	drvID uint8                // identifies the driver in records
	mu    sync.Mutex           // held from TryTake to Leave
	lost  bool                 // the driver can no longer be used. Under mu
	open  func() driver.Linker // see Init; nil once it was called. Under mu
}

// Init makes the driver that open returns perform the chains. The Runner calls open when it first
// needs the driver, and owns it from then on. If open returns nil, no chain can be performed. Init
// must be called before all other methods.
func (r *Runner) Init(open func() driver.Linker, to Reports) { r.open, r.Reports = open, to }

// Reports receives a Runner's results.
type Reports struct {
	Stats  *counters.Counters
	Losses *ioengine.LostDrivers
	Hook   *record.Hook
}

// TryTake returns r for the caller alone, until Leave. It returns nil if there is no driver, if the
// driver was lost, or if another goroutine has r.
func (r *Runner) TryTake() *Runner {
	if !r.mu.TryLock() {
		return nil
	}
	if r.open != nil {
		r.use(r.open())
		r.open = nil
	}
	if r.drv == nil || r.lost {
		r.mu.Unlock()
		return nil
	}
	return r
}

// Leave gives the Runner back.
func (r *Runner) Leave() { r.mu.Unlock() }

func (r *Runner) use(drv driver.Linker) {
	if drv == nil {
		return
	}
	if drv.Files() == 0 { // Linux before 5.15: no chain can open a file
		_ = drv.Close() // nothing is in flight
		return
	}
	r.drv, r.drvID = drv, record.DriverOf(drv.Info().Name)
	r.slots = make([]Chain, drv.Files())
	r.done = make([]*driver.Op, drv.Files())
	for i := range r.slots {
		r.slots[i].file = uint32(i)
		r.free = append(r.free, &r.slots[i])
	}
}

// Source supplies a Runner's chains. Run's goroutine calls its methods.
type Source interface {
	// Next prepares a chain, calling Chain.Open first, and reports whether there was one. It must
	// return false once the context has ended.
	Next(*Chain) bool
	// Ended is called when a chain has ended. all says that every operation has succeeded wholly.
	Ended(owner any, all bool)
	// Wait is called after a reap that leaves more than half of the slots in use. Most chains then
	// wait for the disk.
	Wait()
}

// Run performs the chains of source until there are no more and all have ended. When ctx ends, Run
// asks the chains in flight to end early, and begins no others. Run needs its own goroutine, whose
// thread ends.
func (r *Runner) Run(ctx context.Context, source Source) {
	runtime.LockOSThread() // never unlocked: see Runner
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		r.drv.Wake()
		close(woken)
	})
	canceled := false
	for r.fill(source); len(r.free) < len(r.slots); r.fill(source) {
		if ctx.Err() != nil && !canceled {
			canceled = true
			r.cancel(source)
			continue
		}
		r.reap(source)
		if 2*len(r.free) < len(r.slots) {
			source.Wait()
		}
	}
	if !stop() {
		<-woken
	}
}

// fill stages new chains while there are free slots.
func (r *Runner) fill(source Source) {
	for len(r.free) > 0 && !r.lost {
		c := r.free[len(r.free)-1]
		c.n, c.asked = 0, r.Hook.Now()
		if !source.Next(c) {
			break
		}
		r.free = r.free[:len(r.free)-1]
		r.heads = append(r.heads, &c.ops[0])
	}
	n := r.drv.Stage(r.heads)
	r.heads = append(r.heads[:0], r.heads[n:]...)
}

// reap waits for a chain to end, and takes all chains that have ended.
func (r *Runner) reap(source Source) {
	n, err := r.drv.Reap(r.done, 1)
	if err != nil && !r.lost {
		r.lost = true
		r.Losses.Add(r.drv, err)
	}
	for _, op := range r.done[:n] {
		c := op.Owner.(*Chain)
		r.end(c, source, c.succeeded())
	}
	if r.lost {
		r.endUnstaged(source)
	}
}

// endUnstaged ends the chains that the driver has not taken.
func (r *Runner) endUnstaged(source Source) {
	for _, op := range r.heads {
		r.end(op.Owner.(*Chain), source, false)
	}
	clear(r.heads)
	r.heads = r.heads[:0]
}

// end ends c; see Source.Ended. A failed chain is neither counted nor recorded, because its owner
// performs it again.
func (r *Runner) end(c *Chain, source Source, all bool) {
	if all {
		r.report(c)
	}
	owner := c.owner
	clear(c.ops[:c.n]) // with the references to the caller's memory
	c.owner = nil
	r.free = append(r.free, c)
	source.Ended(owner, all)
}

// report counts and records the chain's operations. All were submitted together. The times of their
// ends are not known, so all end with the chain.
func (r *Runner) report(c *Chain) {
	var at int64
	var name string
	if c.asked != 0 {
		at, name = record.Now(), string(c.path.Name[:len(c.path.Name)-1])
	}
	for _, op := range c.ops[:c.n] {
		r.Stats.Add(counters.Queued, op.Code, op.Res)
		if c.asked == 0 {
			continue
		}
		r.Hook.Op(&record.Op{
			Queued: c.asked, Submitted: c.asked, Completed: at, Off: op.Off, Size: len(op.Buf), Res: op.Res, Batch: c.n,
			Kind: uint8(op.Code), Path: record.PathQueued, Drv: r.drvID,
		}, new(record.FileRef), name, nil)
	}
}

// cancel asks the chains in flight to end early, and ends all others.
func (r *Runner) cancel(source Source) {
	r.endUnstaged(source)
	for i := range r.slots {
		if c := &r.slots[i]; c.owner != nil {
			r.drv.Cancel(&c.ops[0])
		}
	}
}

// Close closes the driver.
func (r *Runner) Close() error {
	if r.drv == nil {
		return nil
	}
	return r.drv.Close()
}
