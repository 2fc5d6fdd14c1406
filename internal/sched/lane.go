package sched

import (
	"context"
	"runtime"
	"sync"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// Lane performs chains of operations in the kernel, each as one submission. It
// is for chains that only read, so that one which has not succeeded wholly can
// be performed again in another way, from its beginning.
//
// One goroutine at a time has the lane, on a thread that ends with its turn. So
// the kernel's workers, which belong to the thread that submits, are at most as
// many as the driver allows one thread, and go with it.
type Lane struct {
	s     *Scheduler
	drv   driver.Linker
	turns []laneTurn // by the number of the driver's file
	free  []*laneTurn
	heads []*driver.Op // prepared, and not staged
	done  []*driver.Op
	mu    sync.Mutex // held by who has the lane
	opens sync.Once
	open  func() driver.Linker
	drvID uint8 // the driver, for the record
}

// LaneThrough has chains performed by the driver that open returns. It is opened
// when first needed, and then the Scheduler's; nil is none. Called before the
// first operation.
func (s *Scheduler) LaneThrough(open func() driver.Linker) {
	s.lane.s, s.lane.open = s, open
}

// TakeLane returns the lane for the caller alone, until Leave; nil if there is
// none or another has it.
func (s *Scheduler) TakeLane() *Lane {
	l := &s.lane
	if l.open == nil || !l.mu.TryLock() {
		return nil
	}
	l.opens.Do(func() { l.use(l.open()) })
	if l.drv == nil {
		l.mu.Unlock()
		return nil
	}
	return l
}

// Leave gives the lane back.
func (l *Lane) Leave() { l.mu.Unlock() }

// use has the lane use drv.
func (l *Lane) use(drv driver.Linker) {
	if drv == nil {
		return
	}
	l.drv, l.drvID = drv, record.DriverOf(drv.Info().Name)
	l.turns = make([]laneTurn, drv.Files())
	l.done = make([]*driver.Op, drv.Files())
	for i := range l.turns {
		l.turns[i].file = uint32(i)
		l.free = append(l.free, &l.turns[i])
	}
}

// LaneUser is whose chains a Lane performs.
type LaneUser interface {
	// Next puts a chain together (Chain.Open first), and tells whether there
	// was one. There is to be none once the context has ended.
	Next(Chain) bool
	// Ended is told a chain's owner, and whether all of it succeeded wholly.
	Ended(owner any, all bool)
	// Wait is called when most of the chains in flight wait for the disk.
	Wait()
}

// Run performs u's chains until there are no more and all have ended. When ctx
// ends, those in flight are asked to end early. Run is called on a goroutine of
// its own, whose thread ends with it.
func (l *Lane) Run(ctx context.Context, u LaneUser) {
	runtime.LockOSThread() // and never unlocked: see Lane
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
		if 2*len(l.free) < len(l.turns) {
			u.Wait()
		}
	}
	if !stop() {
		<-woken
	}
}

// busy tells whether chains are in flight, or about to be.
func (l *Lane) busy() bool { return len(l.free) < len(l.turns) }

// fill stages as many chains as there are files for.
func (l *Lane) fill(u LaneUser) {
	for len(l.free) > 0 {
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

// reap waits for a chain to end, and takes all that have.
func (l *Lane) reap(u LaneUser) {
	n, err := l.drv.Reap(l.done, 1)
	if err != nil {
		panic("sched: the lane's driver ended with chains in flight: " + err.Error())
	}
	for _, op := range l.done[:n] {
		t := op.Owner.(*laneTurn)
		all, owner := t.succeeded(), t.owner
		if all {
			l.count(t)
			l.record(t)
		}
		t.clear()
		l.free = append(l.free, t)
		u.Ended(owner, all)
	}
}

// count counts the chain's operations.
func (l *Lane) count(t *laneTurn) {
	for i := range t.n {
		l.s.stats.add(pathQueued, t.ops[i].Code, t.ops[i].Res)
	}
}

// record records the chain's operations. They are submitted together, and each
// is known to have ended when the chain is.
func (l *Lane) record(t *laneTurn) {
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

// cancel asks what is in flight to end early.
func (l *Lane) cancel() {
	waiting := make(map[*laneTurn]bool)
	for _, t := range l.free {
		waiting[t] = true
	}
	for _, op := range l.heads {
		waiting[op.Owner.(*laneTurn)] = true
	}
	for i := range l.turns {
		if t := &l.turns[i]; !waiting[t] {
			l.drv.Cancel(&t.ops[0])
		}
	}
}

// close ends the driver.
func (l *Lane) close() error {
	if l.drv == nil {
		return nil
	}
	return l.drv.Close()
}
