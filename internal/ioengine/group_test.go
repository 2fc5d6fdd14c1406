package ioengine

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// counting is a script that says how often its Reaps have waited: all of them with busy false, else
// none.
type counting struct {
	*script.Driver
	busy          *atomic.Bool
	known, waited uint32
}

func (d *counting) Reap(done []*driver.Op, need int) (int, error) {
	d.known++
	if !d.busy.Load() {
		d.waited++
	}
	return d.Driver.Reap(done, need)
}

func (d *counting) Waits() (known, waited uint32) { return d.known, d.waited }

// rig is the rings of one device, and a clock.
type rig struct {
	Rings
	of        atomic.Pointer[Group]
	busy      atomic.Bool
	most      atomic.Int32
	now       atomic.Int64
	opened    int
	openError error
}

func newRig(t *testing.T, most int) *rig {
	t.Helper()
	hang.Watch(t)
	g := &rig{}
	g.most.Store(int32(most))
	drv := func() driver.Driver {
		return &counting{Driver: script.New(64), busy: &g.busy}
	}
	g.OnLoss = func() {}
	g.Now = func() time.Duration { return time.Duration(g.now.Load()) }
	g.PerDevice = func() int { return int(g.most.Load()) }
	g.Init(drv(), new(record.Hook))
	g.SetMost(2, func(*record.Hook) (driver.Driver, error) {
		g.opened++
		return drv(), g.openError
	})
	g.Claim(&g.of)
	t.Cleanup(func() {
		for _, e := range g.All() {
			e.Wait()
		}
	})
	return g
}

// work makes operations for two windows of each ring. The drivers hold what they are given, and
// answer all of it at once, so each Reap returns as many as a busy leader's Reap.
func (g *rig) work() {
	const batch = 2 * twoBatches
	var requests Requests
	for range 2 * WindowReaps {
		of := make(map[*Engine][]*Request)
		for range batch * g.of.Load().Len() {
			r := requests.New()
			e := g.of.Load().Of(r)
			of[e] = append(of[e], r)
			e.Push(r)
		}
		for e, rs := range of {
			d := e.drv.(*counting)
			d.Until(func() bool { return len(d.Held) == len(rs) })
			d.Mu.Lock()
			for _, r := range rs {
				d.Finish(&r.Op, 1)
			}
			d.Mu.Unlock()
			for _, r := range rs {
				<-r.done
				r.Free()
			}
		}
	}
}

// The windows of leaders: one has too much to do, one mostly waits, one neither.
var (
	tooMuch = Window{Operations: twoBatches * WindowReaps, Reaps: WindowReaps, Known: 16, Waited: 3}
	waiting = Window{Operations: twoBatches * WindowReaps, Reaps: WindowReaps, Known: 16, Waited: 12}
	neither = Window{Operations: twoBatches * WindowReaps, Reaps: WindowReaps, Known: 16, Waited: 8}
	small   = Window{Operations: twoBatches*WindowReaps - 1, Reaps: WindowReaps, Known: 16}
	unknown = Window{Operations: twoBatches * WindowReaps, Reaps: WindowReaps}
)

// judge has a leader of the device find the same, n times.
func (g *rig) judge(n int, w Window) {
	for range n {
		g.of.Load().judge(w, int(g.most.Load()))
	}
}

// TestGroupGrows: leaders that never wait get another ring, up to the most that there may be now.
// If that falls, rings leave.
func TestGroupGrows(t *testing.T) {
	g := newRig(t, 1)
	g.busy.Store(true)
	for _, most := range []int{1, 2, 4, 3, 1} {
		g.most.Store(int32(most))
		for g.of.Load().Len() != most { // a leader does not judge while another one does
			g.work()
		}
		g.work()
		if n := g.of.Load().Len(); n != most || g.grown != most-1 {
			t.Errorf("%d rings with at most %d, %d grown; want %d, %d", n, most, g.grown, most, most-1)
		}
	}
	if n := len(g.All()); n != 4 || g.opened != 3 || !g.OneDevice() {
		t.Errorf("%d rings, %d opened, one device: %v; want 4, 3, true", n, g.opened, g.OneDevice())
	}
}

// TestSetsKeepTheirRing: a ring that leaves the Group while a RequestSet uses it is no other
// device's, but may come back to this one. It is free once the RequestSet is closed.
func TestSetsKeepTheirRing(t *testing.T) {
	g := newRig(t, 2)
	g.busy.Store(true)
	for g.of.Load().Len() != 2 {
		g.work()
	}
	left := g.of.Load().at(1)
	var set RequestSet
	for set.e != left {
		set.Close()
		set = RequestSet{}
		set.Init(t.Context(), g.of.Load().Next())
	}
	shrink := func() {
		g.most.Store(1)
		for g.of.Load().Len() != 1 {
			g.work()
		}
	}
	shrink()
	var other, third atomic.Pointer[Group]
	if g.Claim(&other); other.Load().at(0) == left {
		t.Error("another device has the ring of the RequestSet")
	}
	g.most.Store(2)
	for g.of.Load().Len() != 2 {
		g.work()
	}
	if g.of.Load().at(1) != left {
		t.Error("the ring did not come back to its device")
	}
	shrink()
	set.Close()
	set.Close() // does nothing
	g.Leave(other.Load())
	for range 2 { // one of the two free rings
		third.Store(nil)
		g.Claim(&third)
	}
	if n := left.sets.Load(); n != 0 || len(left.groups) != 1 {
		t.Errorf("the ring has %d RequestSets and %d devices; want 0, 1", n, len(left.groups))
	}
}

// TestWhatDoesNotGrow: leaders that wait now and then, or reap few operations at a time, or do not
// know whether they wait, get no other ring.
func TestWhatDoesNotGrow(t *testing.T) {
	for _, w := range []Window{waiting, neither, small, unknown} {
		g := newRig(t, 4)
		if g.judge(3, w); g.of.Load().Len() != 1 {
			t.Errorf("%+v: %d rings; want 1", w, g.of.Load().Len())
		}
	}
}

// TestGroupStays: a device whose leaders wait keeps its one ring.
func TestGroupStays(t *testing.T) {
	g := newRig(t, 4)
	g.work()
	if n := g.of.Load().Len(); n != 1 {
		t.Errorf("%d rings; want 1", n)
	}
}

// TestGroupShrinks: when all leaders have waited for a second, one ring leaves; not before, and not
// while one leader is busy. The next device gets the ring that has left.
func TestGroupShrinks(t *testing.T) {
	g := newRig(t, 3)
	g.judge(5, tooMuch)
	list := g.of.Load().list.get()
	for _, c := range []struct {
		after        time.Duration
		found        Window
		rings, again int
	}{
		{999 * time.Millisecond, waiting, 3, 3},
		{time.Millisecond, waiting, 2, 2},
		{999 * time.Millisecond, waiting, 2, 2},
		{0, neither, 2, 2}, // one leader is busy, though it is not saturated
		{999 * time.Millisecond, waiting, 2, 2},
		{time.Millisecond, waiting, 1, 1},
		{time.Hour, waiting, 1, 1},
	} {
		g.now.Add(int64(c.after))
		g.judge(1, c.found)
		if n := g.of.Load().Len(); n != c.rings {
			t.Fatalf("%v later: %d rings; want %d", c.after, n, c.rings)
		}
		if g.judge(3, c.found); g.of.Load().Len() != c.again {
			t.Fatalf("%v later, judged at once again: %d rings; want %d", c.after, g.of.Load().Len(), c.again)
		}
	}
	var other, third atomic.Pointer[Group]
	g.Claim(&other)
	g.Claim(&third)
	if a, b := other.Load().at(0), third.Load().at(0); a == list[0] || b == list[0] || a == b || g.opened != 2 {
		t.Errorf("two more devices have not the two rings that have left; %d were opened", g.opened)
	}
	g.Leave(other.Load())
	g.Leave(third.Load())
	if g.devices.Load() != 1 || g.grown != 0 || !g.OneDevice() {
		t.Errorf("%d devices, %d grown; want 1, 0", g.devices.Load(), g.grown)
	}
}

// TestRetiredRingEnds: what a ring has when it leaves its Group ends there.
func TestRetiredRingEnds(t *testing.T) {
	g := newRig(t, 2)
	g.judge(1, tooMuch)
	list := g.of.Load().list.get()
	if len(list) != 2 {
		t.Fatalf("%d rings; want 2", len(list))
	}
	last := list[1]
	d := last.drv.(*counting)
	r := new(Requests).New()
	last.Push(r)
	d.Until(func() bool { return len(d.Held) == 1 })
	g.now.Add(int64(restTime))
	if g.judge(1, waiting); g.of.Load().Len() != 1 {
		t.Fatalf("%d rings; want 1", g.of.Load().Len())
	}
	r.Cancel()
	d.Until(func() bool { return len(d.Cancelled) == 1 })
	d.Mu.Lock()
	d.Finish(&r.Op, Canceled)
	d.Mu.Unlock()
	<-r.done
}

// TestGroupOfGoneDevice: a device that is gone leaves all its rings to others.
func TestGroupOfGoneDevice(t *testing.T) {
	g := newRig(t, 4)
	g.judge(4, tooMuch)
	gone := g.of.Load()
	g.Leave(gone)
	if g.devices.Load() != 0 || g.grown != 0 {
		t.Errorf("%d devices, %d grown; want none", g.devices.Load(), g.grown)
	}
	gone.judge(tooMuch, 4) // a leader that has begun to judge before
	gone.judge(waiting, 4)
	for _, e := range g.All() {
		if len(e.groups) != 0 || e.group.Load() != nil {
			t.Errorf("a ring still belongs to the device that is gone, or to %d", len(e.groups))
		}
	}
}

// TestSharedRingGrows: once the first device of a shared ring is gone, the next one can have more
// rings.
func TestSharedRingGrows(t *testing.T) {
	g := newRig(t, 2)
	g.openError = errors.New("no memory")
	var others [2]atomic.Pointer[Group]
	for i := range others {
		g.Claim(&others[i])
	}
	g.openError = nil
	g.Leave(g.of.Load())
	for i := range others {
		others[i].Load().judge(tooMuch, 2)
	}
	if first, second := others[0].Load().Len(), others[1].Load().Len(); first != 2 || second != 1 {
		t.Errorf("%d and %d rings; want 2, 1", first, second)
	}
}

// TestGrowthLeavesRings: however many rings a busy device has, the first devices get one each.
func TestGrowthLeavesRings(t *testing.T) {
	const devices = MaxRings / 2
	g := newRig(t, MaxRings)
	g.SetMost(devices, g.open)
	g.judge(2*MaxRings, tooMuch)
	if n, want := g.of.Load().Len(), 1+MaxRings-devices; n != want {
		t.Errorf("the busy device has %d rings; want %d", n, want)
	}
	for device := 2; device <= devices; device++ {
		var of atomic.Pointer[Group]
		g.Claim(&of)
		if n := len(of.Load().at(0).groups); n != 1 {
			t.Errorf("device %d shares its ring with %d", device, n-1)
		}
	}
}

// TestNoRingToGrow: where another ring cannot be had, that is tried once a second.
func TestNoRingToGrow(t *testing.T) {
	g := newRig(t, 4)
	g.openError = errors.New("no memory")
	for second := range 3 {
		g.judge(100, tooMuch)
		if g.opened != 1+second || g.of.Load().Len() != 1 || g.OpenError() == nil {
			t.Errorf("second %d: %d rings, tried %d times, error %v", second, g.of.Load().Len(), g.opened, g.OpenError())
		}
		g.now.Add(int64(restTime))
	}
}

// TestTakenProcessorsDoNotGrow: while goroutines that compute have the processors, a leader that is
// late gets no help from another one.
func TestTakenProcessorsDoNotGrow(t *testing.T) {
	g := newRig(t, 4)
	g.Processors.Waited(time.Second, 0)
	if g.judge(3, tooMuch); g.of.Load().Len() != 1 {
		t.Errorf("%d rings; want 1", g.of.Load().Len())
	}
}
