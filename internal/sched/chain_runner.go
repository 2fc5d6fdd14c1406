package sched

import (
	"context"
	"runtime"
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// ChainRunner performs chains of operations in the kernel, each as one submission. The chains
// must only read, so that one that did not succeed wholly can be performed again in another
// way, from its beginning.
//
// One goroutine at a time has the ChainRunner. Its thread ends when Run does. The kernel's
// workers belong to the thread that submits: there are at most as many as the driver allows
// one thread, and they end with it.
type ChainRunner struct {
	s     *Scheduler
	drv   driver.Linker
	slots []chainSlot // by the number of the driver's file
	free  []*chainSlot
	heads []*driver.Op // first operations of chains that are prepared and not staged
	done  []*driver.Op
	mu    sync.Mutex // held from TryChainRunner to Leave
	lost  bool       // the driver can no longer be used. Under mu
	opens sync.Once
	open  func() driver.Linker
	drvID uint8 // identifies the driver in records
}

// SetChainDriver makes the driver that open returns perform chains. Open is called when the
// driver is first needed, and the Scheduler owns the driver from then on. If open returns nil
// there is no ChainRunner. SetChainDriver must be called before the first operation.
func (s *Scheduler) SetChainDriver(open func() driver.Linker) {
	s.chains.s, s.chains.open = s, open
}

// TryChainRunner returns the ChainRunner for the caller alone, until Leave. It returns nil if
// there is none, if its driver was lost, or if another goroutine has it.
func (s *Scheduler) TryChainRunner() *ChainRunner {
	l := &s.chains
	if l.open == nil || !l.mu.TryLock() {
		return nil
	}
	l.opens.Do(func() { l.use(l.open()) })
	if l.drv == nil || l.lost {
		l.mu.Unlock()
		return nil
	}
	return l
}

// Leave gives the ChainRunner back.
func (l *ChainRunner) Leave() { l.mu.Unlock() }

// use makes drv the driver.
func (l *ChainRunner) use(drv driver.Linker) {
	if drv == nil {
		return
	}
	if drv.Files() == 0 { // Linux before 5.15: no chain can open a file
		_ = drv.Close() // nothing is in flight
		return
	}
	l.drv, l.drvID = drv, record.DriverOf(drv.Info().Name)
	l.slots = make([]chainSlot, drv.Files())
	l.done = make([]*driver.Op, drv.Files())
	for i := range l.slots {
		l.slots[i].file = uint32(i)
		l.free = append(l.free, &l.slots[i])
	}
}

// ChainSource is where a ChainRunner gets its chains. Its methods are called on the goroutine
// that runs Run.
type ChainSource interface {
	// Next puts a chain together, calling Chain.Open first, and reports whether there was one.
	// It must return false once the context has ended.
	Next(Chain) bool
	// Ended is called when a chain has ended. All reports whether every operation succeeded
	// wholly.
	Ended(owner any, all bool)
	// Wait is called after a reap that leaves more than half of the slots in use. Most chains
	// are then waiting for the disk.
	Wait()
}

// Run performs u's chains until there are no more and all have ended. When ctx ends, it asks
// those in flight to end early. Run must be called on a goroutine of its own, whose thread
// ends with it.
func (l *ChainRunner) Run(ctx context.Context, u ChainSource) {
	runtime.LockOSThread() // and never unlocked: see ChainRunner
	woken := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		l.drv.Wake()
		close(woken)
	})
	canceled := false
	for l.fill(u); l.busy(); l.fill(u) {
		if ctx.Err() != nil && !canceled {
			canceled = true
			l.cancel()
		}
		l.reap(u)
		if 2*len(l.free) < len(l.slots) {
			u.Wait()
		}
	}
	if !stop() {
		<-woken
	}
}

// busy reports whether chains are in flight or about to be.
func (l *ChainRunner) busy() bool { return len(l.free) < len(l.slots) }

// fill stages new chains as long as there are free slots for them.
func (l *ChainRunner) fill(u ChainSource) {
	for len(l.free) > 0 && !l.lost {
		t := l.free[len(l.free)-1]
		t.n, t.asked = 0, l.s.hook.Now()
		if !u.Next(Chain{t}) {
			break
		}
		l.free = l.free[:len(l.free)-1]
		l.heads = append(l.heads, t.link())
	}
	n := l.drv.Stage(l.heads)
	l.heads = append(l.heads[:0], l.heads[n:]...)
}

// reap waits for a chain to end, and takes all chains that have ended. A chain that did not
// succeed is neither counted nor recorded, because its owner performs it again.
func (l *ChainRunner) reap(u ChainSource) {
	n, err := l.drv.Reap(l.done, 1)
	if err != nil && !l.lost {
		l.lost = true
		l.s.noteLoss(l.drv, err)
	}
	for _, op := range l.done[:n] {
		t := op.Owner.(*chainSlot)
		all, owner := t.succeeded(), t.owner
		if all {
			l.count(t)
			l.record(t)
		}
		t.clear()
		l.free = append(l.free, t)
		u.Ended(owner, all)
	}
	if l.lost {
		l.giveUp(u)
	}
}

// giveUp ends the chains that the lost driver has not taken.
func (l *ChainRunner) giveUp(u ChainSource) {
	for i, op := range l.heads {
		t := op.Owner.(*chainSlot)
		owner := t.owner
		t.clear()
		l.free = append(l.free, t)
		l.heads[i] = nil
		u.Ended(owner, false)
	}
	l.heads = l.heads[:0]
}

// count adds the chain's operations to Stats.
func (l *ChainRunner) count(t *chainSlot) {
	for i := range t.n {
		l.s.stats.add(pathQueued, t.ops[i].Code, t.ops[i].Res)
	}
}

// record records the chain's operations. They were submitted together. When each one ended is
// not known, so they all end when the chain does.
func (l *ChainRunner) record(t *chainSlot) {
	if t.asked == 0 {
		return
	}
	at, name := record.Now(), string(t.path.Name[:len(t.path.Name)-1])
	for i := range t.n {
		op := &t.ops[i]
		l.s.hook.Op(&record.Op{
			Queued: t.asked, Submitted: t.asked, Completed: at, Off: op.Off, Size: len(op.Buf), Res: op.Res, Batch: t.n,
			Kind: uint8(op.Code), Path: record.PathQueued, Drv: l.drvID,
		}, new(record.FileRef), name, nil)
	}
}

// cancel asks the chains in flight to end early.
func (l *ChainRunner) cancel() {
	waiting := make(map[*chainSlot]bool)
	for _, t := range l.free {
		waiting[t] = true
	}
	for _, op := range l.heads {
		waiting[op.Owner.(*chainSlot)] = true
	}
	for i := range l.slots {
		if t := &l.slots[i]; !waiting[t] {
			l.drv.Cancel(&t.ops[0])
		}
	}
}

// close closes the driver.
func (l *ChainRunner) close() error {
	if l.drv == nil {
		return nil
	}
	return l.drv.Close()
}
