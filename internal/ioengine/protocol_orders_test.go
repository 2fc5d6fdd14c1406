//go:build sluice_probes

package ioengine

import (
	"context"
	"fmt"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/record"
)

// The wake-up protocol (Engine) in the orders that its steps can be done in: the
// engine's own code runs, and the explorer says which goroutine goes on. Operation 0
// is stuck until all others have ended: the least that may happen to one is to wait
// for an unrelated one.

// situation is what a scenario begins with, and what its goroutines do.
type situation struct {
	name   string
	stages bool // the driver can
	shy    bool // Stage takes one at a time
	full   bool // the driver takes one at a time; then no operation is stuck
	// stuck says that operation 0 is in flight and its leader waits; otherwise the
	// goroutine that pushes it is one of the scenario.
	stuck bool
	// pushed is the number of operations, beside a stuck one, that have a goroutine each.
	pushed int
	// writes is how many operations are writes, from operation 0 on, which is stuck until all reads
	// have ended. If readFirst, operation 0 is a read. The driver has a place for one write.
	writes    int
	readFirst bool
	// batch is how many of them must arrive before a pusher submits them while the leader
	// runs; 0 is the default, which is more than there are.
	batch int32
	// divided is how many there must be in all for that.
	divided int32
	// cancels says that the goroutine that has pushed the first of them cancels it.
	cancels bool
	// The device has so many rings, if not 0, and leaders judge that it gets one more (1), or one
	// less (-1), at any moments. The pushers ask the Group for a ring.
	rings   int
	changes []int
	// asksGroup is a mistake: a cancel asks the ring that the Group has for the operation then.
	asksGroup bool
	// late says that an owner, and not the first pusher, submits the first operation. After that
	// the other operations are pushed, and a request is canceled that has ended already.
	late bool
	// owned is how many operations a RequestSet's owner starts, and waits for. The
	// first of them is operation 0 if slow.
	owned  int
	slow   bool
	owners int // each with so many, if not 0
	// away says that the owner submits them, and waits only once all that was
	// pushed has ended.
	away bool
	// switches is the explorer's.
	switches int
	// push is what the goroutines do with their operations, if not Engine.Push.
	push func(e *Engine, r *Request)
}

var situations = []situation{
	{name: "from idle", pushed: 2, switches: 4},
	{name: "from idle, each submits", pushed: 2, batch: 1, switches: 4},
	{name: "from idle, one is left to the leader", pushed: 2, batch: 1, divided: 2, switches: 4},
	{name: "staged from idle", stages: true, pushed: 2, switches: 4},
	{name: "staged from idle, one is left to the leader", stages: true, pushed: 2, batch: 1, divided: 2, switches: 4},
	{name: "staged from idle, each submits", stages: true, pushed: 2, batch: 1, switches: 4},
	{name: "beside a stuck one", stuck: true, pushed: 2, switches: 3},
	{name: "beside a stuck one, each submits", stuck: true, pushed: 2, batch: 1, switches: 3},
	{name: "staged beside a stuck one", stages: true, stuck: true, pushed: 2, batch: 2, switches: 3},
	{name: "staged one at a time", stages: true, shy: true, stuck: true, pushed: 2, batch: 2, switches: 3},
	{name: "staged one at a time from idle", stages: true, shy: true, pushed: 2, batch: 2, switches: 3},
	{name: "less room than it says", full: true, pushed: 2, batch: 2, switches: 3},
	{name: "less room to stage than it says", full: true, stages: true, pushed: 2, batch: 2, switches: 3},
	{name: "cancelled from idle", cancels: true, pushed: 2, switches: 3},
	{name: "cancelled beside a stuck one", cancels: true, stuck: true, pushed: 2, batch: 2, switches: 3},
	{name: "cancelled when a ring comes", cancels: true, rings: 1, changes: []int{1}, pushed: 2, switches: 3},
	{name: "cancelled when a ring leaves", cancels: true, rings: 2, changes: []int{-1}, pushed: 2, switches: 3},
	{name: "cancelled when a ring comes and leaves", cancels: true, rings: 1, changes: []int{1, -1}, pushed: 2, switches: 2},
	{name: "cancelled when a ring leaves and comes", cancels: true, rings: 2, changes: []int{-1, 1}, pushed: 2, batch: 1, switches: 2},
	{name: "cancelled late beside an owner who submits", late: true, pushed: 2, switches: 2},
	{name: "owner alone", owned: 2, switches: 4},
	{name: "owner and a push", owned: 1, pushed: 1, switches: 3},
	{name: "owner and pushes, each submits", owned: 1, pushed: 2, batch: 1, switches: 1},
	{name: "owner beside a stuck one", owned: 2, stuck: true, switches: 3},
	{name: "owner of a stuck one and a push", owned: 2, slow: true, pushed: 1, switches: 2},
	{name: "owner of a stuck one and pushes, each submits", owned: 1, slow: true, pushed: 2, batch: 1, switches: 2},
	{name: "owner who is away", owned: 1, slow: true, away: true, pushed: 2, batch: 1, switches: 2},
	{name: "owner and less room than it says", full: true, owned: 2, pushed: 1, switches: 2},
	{name: "two owners", owners: 2, owned: 1, switches: 3},
	{name: "two staging owners", stages: true, owners: 2, owned: 1, switches: 3},
	{name: "two owners beside a stuck one", stuck: true, owners: 2, owned: 1, switches: 1},
	{name: "writes and a read", writes: 2, pushed: 3, switches: 2},
	{name: "writes and a read, each submits", writes: 2, pushed: 3, batch: 1, switches: 2},
	{name: "a write and a read beside a stuck write", stuck: true, writes: 2, pushed: 2, switches: 3},
	{name: "a write and a read beside a stuck write, each submits", stuck: true, writes: 2, pushed: 2, batch: 1, switches: 3},
	{name: "a write and a read staged beside a stuck write", stages: true, stuck: true, writes: 2, pushed: 2, batch: 1, switches: 3},
	{name: "owner and a write beside a stuck write", stuck: true, writes: 2, pushed: 1, owned: 1, switches: 2},
	{name: "a cancelled write beside a stuck write", stuck: true, writes: 2, cancels: true, pushed: 2, batch: 1, switches: 3},
	{name: "writes beside a stuck read", stuck: true, readFirst: true, writes: 2, pushed: 2, switches: 3},
	{name: "writes beside a stuck read, each submits", stuck: true, readFirst: true, writes: 2, pushed: 2, batch: 1, switches: 3},
	{name: "writes staged beside a stuck read", stages: true, stuck: true, readFirst: true, writes: 2, pushed: 2, batch: 1, switches: 3},
	{name: "staging owner and a push", stages: true, owned: 1, pushed: 1, batch: 1, switches: 3},
}

// In every order each operation ends, and no leader is left.
func TestOrdersOfTheProtocol(t *testing.T) {
	for _, c := range situations {
		t.Run(c.name, func(t *testing.T) {
			x := &explorer{scenario: c.play, switches: c.switches}
			wrong := x.explore()
			t.Logf("%d states, %d runs", len(x.known), x.runs)
			if wrong != "" {
				t.Error(wrong)
			}
		})
	}
}

// A submitter that relies on the leader, whatever that does, is found out in the one
// order in which the leader has looked at the inbox already. So is one that submits
// for a leader without a lock, and not in every order.
func TestExplorerFindsMistakes(t *testing.T) {
	relies := func(e *Engine, r *Request) {
		e.Queue(r)
		e.startLeaderIfIdle()
	}
	submits := func(e *Engine, r *Request) {
		e.Queue(r)
		if e.state.Load() != idle {
			e.submit(e.drv.Submit)
		} else {
			e.startLeaderIfIdle()
		}
	}
	for _, push := range []func(*Engine, *Request){relies, submits} {
		c := situation{pushed: 2, push: push}
		x := &explorer{scenario: c.play, switches: 3}
		if x.explore() == "" {
			t.Error("the explorer finds nothing wrong with a mistake")
		}
	}
}

// A cancel that asks the wrong ring is found out, whether a ring comes or leaves.
func TestExplorerFindsCancelInWrongRing(t *testing.T) {
	for rings, change := range map[int]int{1: 1, 2: -1} {
		c := situation{cancels: true, asksGroup: true, rings: rings, changes: []int{change}, pushed: 2}
		x := &explorer{scenario: c.play, switches: 3}
		if x.explore() == "" {
			t.Errorf("the explorer finds nothing wrong with a cancel in the wrong ring, of %d rings and %d", rings, change)
		}
	}
}

// play is the scenario.
func (c situation) play(w *world) {
	p := &playing{w: w, d: &slowDriver{room: 2, shy: c.shy, full: c.full}, most: max(1, c.writes)}
	if c.readFirst {
		p.d.room, p.first, p.most = 3, 1, 1
	}
	p.last = p.first + int64(c.writes)
	var drv driver.Driver = p.d
	if c.stages {
		drv = slowStager{p.d}
	}
	p.e = newEngine(drv)
	if c.batch > 0 {
		p.e.minBatch, p.e.minDivided = c.batch, c.divided
	}
	w.play(p.e, p.d)
	w.unfinished, w.more, p.d.others = p.unfinished, p.more, p.others
	if c.stuck {
		p.push(c.push, false)
		w.settle()
	}
	if c.slow {
		p.own(c.owned, c.away)
	}
	if c.late {
		p.late(&c)
	}
	if c.rings > 0 {
		p.several(&c)
	}
	for i := range c.pushed {
		p.push(c.push, c.cancels && i == 0)
	}
	for range max(c.owners, 1) {
		if c.owned > 0 && !c.slow {
			p.own(c.owned, c.away)
		}
	}
}

// playing is a situation in a world.
type playing struct {
	w      *world
	e      *Engine
	d      *slowDriver
	pushed []*Request
	groups []*RequestSet
	all    int // operations
	// The operations from first to last-1 are writes. The last to end are most.
	first, last int64
	most        int
	group       *Group // of the device, if it gets another ring
	// started and ended count the requests of RequestSets that have been started, and that Next has
	// returned.
	started, ended int
}

// push adds a goroutine that pushes an operation.
func (p *playing) push(push func(*Engine, *Request), cancels bool) {
	if push == nil {
		push = (*Engine).Push
	}
	r, e := newRequest(p.number(1)), p.e
	if p.first <= r.Op.Off && r.Op.Off < p.last {
		r.Op.Code = driver.Write
	}
	p.pushed = append(p.pushed, r)
	p.w.start("pusher", func() {
		push(e, r)
		if cancels {
			r.Cancel()
		}
	})
}

// several gives the device two rings, of which it has c.rings at first. It adds the goroutine that
// changes their number, and sets what the pushers do: they ask the Group.
func (p *playing) several(c *situation) {
	r := p.e.rings
	r.Shared.list.set([]*Engine{p.e})
	r.all.set([]*Engine{p.e})
	d := &slowDriver{room: p.d.room, own: make(map[*driver.Op]bool)}
	p.d.own = make(map[*driver.Op]bool)
	r.SetMost(2, func(*record.Hook) (driver.Driver, error) { return d, nil })
	var of atomic.Pointer[Group]
	r.Claim(&of)
	p.group = of.Load()
	p.group.judge(tooMuch, 2)
	second := p.group.at(1)
	second.minBatch, second.minDivided = p.e.minBatch, p.e.minDivided
	p.w.play(second, d)
	d.others = p.others
	if c.rings == 1 {
		p.group.judge(waiting, 1)
	}
	p.w.start("judge", func() {
		for _, change := range c.changes {
			p.w.Step()
			if change > 0 {
				p.group.judge(tooMuch, 2)
			} else {
				p.group.judge(waiting, 1)
			}
		}
	})
	c.push = func(_ *Engine, r *Request) {
		r.number = uint32(r.Op.Off) + 1 // with two rings, operation 0 has the second
		e := p.group.Of(r)
		p.w.Saw(e.number)
		e.Push(r)
		if c.asksGroup && r.Op.Off == 0 {
			r.ring = p.group.Of(r)
		}
	}
}

// late adds the owner and the goroutine that cancels, and sets what the pushers do: they link
// their operations, and look at the state once the cancel is over.
func (p *playing) late(c *situation) {
	linked, over := false, false
	begun := func() bool { return len(p.d.held)+len(p.d.done)+p.finished() > 0 }
	c.push = func(e *Engine, r *Request) {
		if r.Op.Off > 0 {
			p.w.Wait(begun)
		}
		e.Queue(r)
		linked = true
		p.w.Wait(func() bool { return over })
		e.EnsureSubmitted()
	}
	p.w.start("owner", func() {
		p.w.Wait(func() bool { return linked })
		p.e.submitInbox()
	})
	p.w.start("canceller", func() {
		p.w.Wait(begun)
		cancel(p.e, newRequest(9))
		over = true
	})
}

// setRequest is a request of a RequestSet whose operation is all of it.
type setRequest struct {
	r *Request
	g *RequestSet
}

func (o *setRequest) Completed() {
	o.g.Queued.Add(-1)
	o.g.End(o.r)
}

// own adds a RequestSet's owner.
func (p *playing) own(n int, away bool) {
	g := new(RequestSet)
	g.Init(context.Background(), p.e)
	p.groups = append(p.groups, g)
	first := p.number(n)
	p.w.start("owner", func() {
		for i := range n {
			p.started++
			r := newRequest(first + int64(i))
			r.Op.Code, r.Op.Buf, r.Client = driver.Read, make([]byte, 1), &setRequest{r, g}
			r.InSet = true
			g.Queued.Add(1)
			p.e.Queue(r)
			g.Started(1)
		}
		if away {
			g.Submit()
			p.w.Wait(func() bool { return p.finished() == len(p.pushed) })
		}
		for range n {
			if r, err := g.Next(context.Background()); err != nil || r.Op.Res != 1 {
				p.w.wrong = "a request of a RequestSet has a wrong result"
			}
			p.ended++
			p.w.forget(0)
		}
	})
}

// number returns the number of the next operation, of n.
func (p *playing) number(n int) int64 {
	p.all += n
	return int64(p.all - n)
}

// others reports whether all but one have ended, or all that are no writes.
func (p *playing) others() bool { return p.finished() >= p.all-p.most }

func (p *playing) finished() int {
	n := p.ended
	for _, r := range p.pushed {
		n += len(r.done)
	}
	return n
}

func (p *playing) unfinished() string {
	if n := p.finished(); n != p.all {
		return fmt.Sprintf("%d of %d operations have ended", n, p.all)
	}
	return ""
}

// more is what the future depends on.
func (p *playing) more() (key uint64) {
	for _, r := range p.pushed {
		key = hash(key, uint64(len(r.done)))
	}
	if p.group != nil {
		key = hash(key, uint64(p.group.Len()))
	}
	for _, g := range p.groups {
		for _, n := range []int{
			p.started, p.ended, int(g.Queued.Load()), g.started, g.batch,
			g.ended.Len(), int(g.parked), len(g.wake), int(number(g.mu.Free())),
		} {
			key = hash(key, uint64(n))
		}
	}
	return key
}
