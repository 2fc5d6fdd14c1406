package sched

import (
	"context"
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/fault"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// neverWaits is a driver that says that none of its Reaps has waited.
type neverWaits struct {
	driver.Driver
	reaps uint32
}

func (d *neverWaits) Reap(done []*driver.Op, need int) (int, error) {
	d.reaps++
	return d.Driver.Reap(done, need)
}

func (d *neverWaits) Waits() (known, waited uint32) { return d.reaps, 0 }

func (d *neverWaits) Register(mem []byte) (int, error) {
	if r, ok := d.Driver.(driver.Registrar); ok {
		return r.Register(mem)
	}
	return 0, errors.New("the driver registers no memory")
}

func (d *neverWaits) Unregister(i int) { d.Driver.(driver.Registrar).Unregister(i) }

// grown is a Scheduler whose one device has two rings, and a file there. The drivers hold what they
// are given.
type grown struct {
	*several
	f    *File
	each [2]*script.Driver // by ring
}

// newGrown makes a grown. Its rings are on what set, if not nil, makes of their scripts.
func newGrown(t *testing.T, set func(ring int, d *script.Driver) driver.Driver) *grown {
	t.Helper()
	p := newSeveral(t, 2, func(ring int, d *script.Driver) driver.Driver {
		d.Depth = 64
		if set == nil {
			return &neverWaits{Driver: d}
		}
		return &neverWaits{Driver: set(ring, d)}
	})
	p.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 { return int32(len(b)) }
	p.paths.Engines.PerDevice = func() int { return 2 }
	g := &grown{several: p, f: on(1)}
	for len(p.Rings().All()) < 2 { // a Reap of a busy leader has eight operations
		all := g.start(t, 8)
		p.drv[0].Until(func() bool { return len(p.drv[0].Held) == len(all) })
		g.answer()
		wantRead(t, all)
		hang.Eventually(func() bool { return !p.Rings().HasLeader() }) // it has judged
	}
	g.each = [2]*script.Driver(p.drv)
	return g
}

// start starts n reads.
func (g *grown) start(t *testing.T, n int) []*Transfer {
	t.Helper()
	all := make([]*Transfer, n)
	for i := range all {
		all[i] = new(Transfer)
		g.StartRead(all[i], g.f, make([]byte, 512), 0, 0)
	}
	return all
}

// startBoth starts reads until both rings have one.
func (g *grown) startBoth(t *testing.T) (all []*Transfer) {
	t.Helper()
	for g.held(0) == 0 || g.held(1) == 0 {
		all = append(all, g.start(t, 1)...)
		hang.Eventually(func() bool { return g.held(0)+g.held(1) == len(all) })
	}
	return all
}

// held returns how many operations the ring's driver holds.
func (g *grown) held(ring int) int {
	d := g.each[ring]
	d.Mu.Lock()
	defer d.Mu.Unlock()
	return len(d.Held)
}

// answerOne answers the first operation that the ring's driver holds.
func (g *grown) answerOne(ring int) {
	d := g.each[ring]
	d.Mu.Lock()
	defer d.Mu.Unlock()
	d.Finish(d.Held[0], 512)
}

// answer answers all that the drivers hold.
func (g *grown) answer() {
	for _, d := range g.drv {
		d.Mu.Lock()
		for _, op := range slices.Clone(d.Held) {
			d.Finish(op, int32(len(op.Buf)))
		}
		d.Mu.Unlock()
	}
}

// wantRead waits for reads of 512 bytes.
func wantRead(t *testing.T, all []*Transfer) {
	t.Helper()
	for _, tr := range all {
		if n, err := tr.Wait(t.Context()); n != 512 || err != nil {
			t.Errorf("Wait = %d, %v; want 512", n, err)
		}
	}
}

// TestCloseOfGrownDevice: TransferSets have the rings in turn, and a Close of a file waits for the
// operations of both rings.
func TestCloseOfGrownDevice(t *testing.T) {
	g := newGrown(t, nil)
	var sets [2]*TransferSet
	for i := range sets {
		sets[i] = g.NewTransferSet(t.Context(), g.f)
		defer sets[i].Close()
		sets[i].StartRead(new(Transfer), g.f, make([]byte, 512), 0, 0)
	}
	if g.held(0) != 1 || g.held(1) != 1 {
		t.Fatalf("%d and %d reads are in the rings; want 1, 1", g.held(0), g.held(1))
	}
	closed := make(chan struct{})
	go func() { g.CloseFile(g.f); close(closed) }()
	hang.Eventually(g.Rings().HasLeader)
	for _, set := range sets {
		select {
		case <-closed:
			t.Error("the file is closed while a ring has a read of it")
		default:
		}
		g.answerOne(slices.Index(g.Rings().All(), set.Engine()))
		tr, err := set.Next(t.Context())
		if err != nil {
			t.Fatalf("Next = %v", err)
		}
		if n, err := tr.Result(t.Context()); n != 512 || err != nil {
			t.Errorf("Result = %d, %v; want 512", n, err)
		}
	}
	<-closed
}

// TestCancelInGrownDevice: an operation is canceled in the ring that has it.
func TestCancelInGrownDevice(t *testing.T) {
	g := newGrown(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	var all sync.WaitGroup
	for _, tr := range g.startBoth(t) {
		all.Go(func() {
			if _, err := tr.Wait(ctx); !errors.Is(err, context.Canceled) {
				t.Errorf("Wait = %v; want context.Canceled", err)
			}
		})
	}
	cancel()
	for _, d := range g.each {
		d.Until(func() bool { return len(d.Cancelled) == len(d.Held) })
		d.Mu.Lock()
		for _, op := range d.Cancelled {
			d.Finish(op, ecanceled) // panics if the ring does not have it
		}
		d.Mu.Unlock()
	}
	all.Wait()
}

// TestLossInGrownDevice: once one ring is lost, the operations that the drivers have end as usual,
// and all other operations are plain calls.
func TestLossInGrownDevice(t *testing.T) {
	for lost := range 2 {
		var loss *fault.Loss
		g := newGrown(t, func(ring int, d *script.Driver) driver.Driver {
			if ring != lost {
				return d
			}
			var drv driver.Driver
			drv, loss = fault.NewLoss(d, 1<<30, syscall.EPERM)
			return drv
		})
		all := g.startBoth(t)
		loss.Now()
		for !loss.Fired() {
			all = append(all, g.start(t, 1)...)
		}
		hang.Eventually(g.Rings().Lost)
		if g.held(0) == 0 || g.held(1) == 0 {
			t.Error("a ring has nothing; want operations in both")
		}
		wantRead(t, g.start(t, 4)) // hangs if they are queued
		if n := len(g.Rings().Losses()); n != 1 {
			t.Errorf("%d drivers are lost; want 1", n)
		}
		g.answer()
		wantRead(t, all)
	}
}

// TestCapOfGrownDevice: a class has its cap once for a device, not once for each ring.
func TestCapOfGrownDevice(t *testing.T) {
	g := newGrown(t, nil)
	const most = 5
	g.Classes().SetCapFinder(func(uint64) fair.Cap { return fair.Cap{Depth: most, Bytes: 1 << 20, Beside: 1 << 20} })
	g.Classes().New("class", fair.Settings{Weight: 1})
	all := g.start(t, 4*most)
	for ended := range all {
		n := min(most, len(all)-ended)
		hang.Eventually(func() bool { // hangs if each ring has a cap
			st := g.Classes().Default().Stats()
			return g.held(0)+g.held(1) == n && st.InFlight == n && st.Queued == len(all)-ended-n
		})
		ring := 0
		if g.held(0) == 0 {
			ring = 1
		}
		g.answerOne(ring)
	}
	wantRead(t, all)
}

// TestMemoryOfGrownDevice: each ring of a device knows registered memory by its own number.
func TestMemoryOfGrownDevice(t *testing.T) {
	var drv [2]*registering
	g := newGrown(t, func(ring int, d *script.Driver) driver.Driver {
		drv[ring] = &registering{Driver: d, base: 10 * ring, known: map[int][]byte{}}
		return drv[ring]
	})
	mem := make([]byte, 512)
	reg := g.Rings().Register(mem)
	var all []*Transfer
	for g.held(0) == 0 || g.held(1) == 0 {
		all = append(all, new(Transfer))
		g.StartRead(all[len(all)-1], g.f, mem, 0, reg)
		hang.Eventually(func() bool { return g.held(0)+g.held(1) == len(all) })
	}
	for ring, d := range g.each {
		for _, op := range d.Held {
			if want := uint32(10*ring + 1); op.Reg != want {
				t.Errorf("Reg = %d in ring %d; want %d", op.Reg, ring, want)
			}
		}
	}
	g.answer()
	wantRead(t, all)
	g.Rings().Unregister(reg)
	if a, b := len(drv[0].known), len(drv[1].known); a+b != 0 {
		t.Errorf("%d and %d pieces of memory are left; want none", a, b)
	}
}
