package sched

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"weak"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/qos"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// several is a Scheduler with several rings, whose files are on the device that
// their descriptors are the numbers of.
type several struct {
	*Scheduler
	drv []*script.Driver // by ring
}

// newSeveral returns a several with up to most rings. Each ring is on its own script, which set has
// prepared.
func newSeveral(t *testing.T, most int, set func(ring int, d *script.Driver) driver.Driver) *several {
	t.Helper()
	hang.Watch(t)
	p := &several{}
	open := func() driver.Driver {
		d := script.New(8)
		p.drv = append(p.drv, d)
		return set(len(p.drv)-1, d)
	}
	p.Scheduler = newOn(open(), Options{Threads: 4})
	p.Rings().SetMost(most, func(*record.Hook) (driver.Driver, error) { return open(), nil })
	p.paths.Device = func(fd int) (uint64, bool) { return uint64(fd), fd > 0 }
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		for i, d := range p.drv {
			if !d.Closed {
				t.Errorf("ring %d was not closed", i)
			}
		}
	})
	return p
}

// on returns a file on that device.
func on(device int) *File { return iopath.NewFile(device, true, false) }

// begin starts a read of f and returns what is closed when it has ended.
func (p *several) begin(f *File) <-chan struct{} {
	ended := make(chan struct{})
	p.paths.Devices.None().Queued.Add(1) // so that it is queued
	go func() {
		defer close(ended)
		p.paths.Queue(context.Background(), 0, driver.Read, f, make([]byte, 512), 0, 0)
		p.paths.Devices.None().Queued.Add(-1)
	}()
	return ended
}

// whole answers each operation at once.
func whole(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }

// stalled is a script whose Submit, and Reap where something is staged, does not
// return before it is released.
type stalled struct {
	*script.Driver
	entered  chan struct{} // gets a value from each that waits
	released chan struct{}
}

func (d *stalled) Submit(ops []*driver.Op) (int, error) {
	d.entered <- struct{}{}
	<-d.released
	return d.Driver.Submit(ops)
}

// A device that does not take what it is given holds up nobody of another.
func TestStalledRing(t *testing.T) {
	for _, driverStages := range []bool{true, false} {
		t.Run(fmt.Sprintf("stager=%v", driverStages), func(t *testing.T) {
			slow := &stalled{entered: make(chan struct{}, 64), released: make(chan struct{})}
			p := newSeveral(t, 2, func(ring int, d *script.Driver) driver.Driver {
				d.Rule = whole
				switch {
				case ring == 0:
					slow.Driver = d
					return slow
				case driverStages:
					return d.Staging()
				}
				return d
			})
			var stuck []<-chan struct{}
			for range 8 {
				stuck = append(stuck, p.begin(on(1)))
			}
			<-slow.entered
			var all sync.WaitGroup
			for range 16 {
				all.Go(func() {
					f := on(2)
					for range 100 {
						<-p.begin(f)
					}
					p.CloseFile(f)
				})
			}
			all.Wait() // with the stalled ones still there
			for _, ended := range stuck {
				select {
				case <-ended:
					t.Error("a read ended that the driver has not taken")
				default:
				}
			}
			close(slow.released)
			for _, ended := range stuck {
				<-ended
			}
			if st := p.Stats(); st.Rings != 2 {
				t.Errorf("%d rings; want 2", st.Rings)
			}
		})
	}
}

// A device that has to share a ring gets one whose device answers, although as many devices have
// the ring of a device that hangs.
func TestSharedRingAnswers(t *testing.T) {
	p := newSeveral(t, 2, func(ring int, d *script.Driver) driver.Driver {
		if ring > 0 {
			d.Rule = whole
		}
		return d.Staging()
	})
	files := []*File{on(1), on(2), on(3)} // a device with a file is not forgotten
	stuck := p.begin(files[0])
	op := p.drv[0].Next(0)
	for _, f := range files[1:] {
		<-p.begin(f) // hangs if it shares the first ring
	}
	p.drv[0].Answer(op, 512)
	<-stuck
	runtime.KeepAlive(files)
}

// The first devices have a ring each, in the order in which something is queued for them. All
// further devices share these rings. Each device keeps its ring. Files on no device have the first
// ring.
func TestRingsOfDevices(t *testing.T) {
	p := newSeveral(t, 3, func(_ int, d *script.Driver) driver.Driver {
		d.Rule = whole
		return d
	})
	var files []*File // a device with a file is not forgotten
	for i, c := range []struct{ device, ring, rings int }{
		{7, 0, 1},
		{7, 0, 1},
		{0, 0, 1},
		{8, 1, 2},
		{7, 0, 2},
		{9, 2, 3},
		{8, 1, 3},
		{9, 2, 3},
		{10, 0, 3},
		{11, 1, 3},
		{12, 2, 3},
		{11, 1, 3},
		{10, 0, 3},
		{10, 0, 3},
		{8, 1, 3},
	} {
		f := on(c.device)
		files = append(files, f)
		<-p.begin(f)
		if ring := p.ringOf(f); ring != c.ring {
			t.Errorf("%d: device %d has ring %d; want %d", i, c.device, ring, c.ring)
		}
		if n, most := len(p.Rings().All()), p.Rings().Most(); n != c.rings || most != 3 {
			t.Errorf("%d: %d rings of %d; want %d of 3", i, n, most, c.rings)
		}
	}
	runtime.KeepAlive(files)
	for i, d := range p.drv {
		if len(d.Seen) == 0 {
			t.Errorf("ring %d had nothing to do", i)
		}
	}
}

// A ring that cannot be opened is no error: the device shares an existing ring, for good. For the
// next new device a ring is tried again. The Scheduler knows the error as long as it lasts.
func TestNoMoreRings(t *testing.T) {
	p := newSeveral(t, 3, func(_ int, d *script.Driver) driver.Driver {
		d.Rule = whole
		return d
	})
	asked, refused := 0, error(syscall.EMFILE)
	hooks := map[*record.Hook]bool{}
	p.Rings().SetMost(3, func(h *record.Hook) (driver.Driver, error) {
		asked++
		hooks[h] = true
		if refused != nil {
			return nil, refused
		}
		d := script.New(8)
		d.Rule = whole
		p.drv = append(p.drv, d)
		return d, nil
	})
	var files []*File // a device with a file is not forgotten
	for i, c := range []struct {
		device, ring, rings, asked int
		refused                    error
	}{
		{1, 0, 1, 0, syscall.EMFILE},
		{2, 0, 1, 1, syscall.EMFILE},
		{2, 0, 1, 1, syscall.EMFILE},
		{3, 0, 1, 2, syscall.ENOMEM},
		{3, 0, 1, 2, syscall.ENOMEM},
		{4, 1, 2, 3, nil},
		{2, 0, 2, 3, nil},
		{3, 0, 2, 3, nil},
		{5, 1, 2, 4, syscall.EMFILE},
		{6, 2, 3, 5, nil},
		{7, 2, 3, 5, nil},
	} {
		refused = c.refused
		f := on(c.device)
		files = append(files, f)
		<-p.begin(f)
		if n := len(p.Rings().All()); n != c.rings || asked != c.asked || p.ringOf(f) != c.ring {
			t.Errorf("%d: device %d has ring %d of %d, asked for %d times; want %d of %d, %d times",
				i, c.device, p.ringOf(f), n, asked, c.ring, c.rings, c.asked)
		}
		if err := p.Rings().OpenError(); asked > 0 && err != c.refused {
			t.Errorf("%d: OpenError = %v; want %v", i, err, c.refused)
		}
	}
	runtime.KeepAlive(files)
	if len(hooks) != 2 {
		t.Errorf("%d hooks for two more rings; want 2", len(hooks))
	}
}

// Files of many devices are opened, read and closed at once.
func TestRingsAtOnce(t *testing.T) {
	p := newSeveral(t, 4, func(_ int, d *script.Driver) driver.Driver {
		d.Rule = whole
		return d.Staging()
	})
	var all sync.WaitGroup
	for g := range 12 {
		all.Go(func() {
			for i := range 100 {
				f := on(1 + (g+i)%6)
				first, second := p.begin(f), p.begin(f)
				<-first
				<-second
				p.CloseFile(f)
				p.Stats()
			}
		})
	}
	all.Wait()
	if n := len(p.Rings().All()); n != 4 {
		t.Errorf("%d rings; want 4", n)
	}
	if st := p.Stats(); st.InFlight != 0 {
		t.Errorf("%d in flight at the end", st.InFlight)
	}
}

// A Close waits for what a TransferSet that nobody looks after has in a ring, also if
// that is not the first.
func TestCloseWithGroupInAnotherRing(t *testing.T) {
	p := newSeveral(t, 2, func(_ int, d *script.Driver) driver.Driver {
		d.Rule = whole
		return d.Staging()
	})
	<-p.begin(on(1))
	f := on(2)
	g := p.NewTransferSet(t.Context(), f)
	defer g.Close()
	var tr Transfer
	g.StartRead(&tr, f, make([]byte, 512), 0, 0)
	p.CloseFile(f)
	if _, err := g.Next(ended()); err != nil {
		t.Fatal("CloseFile has not waited for the Transfer")
	}
	if n, err := tr.Result(t.Context()); n != 512 || err != nil {
		t.Errorf("the Transfer = %d, %v; want 512", n, err)
	}
}

// registering is a script that registers memory.
type registering struct {
	*script.Driver
	base  int // its first index
	full  bool
	known map[int][]byte // under script.mu
}

func (d *registering) Register(mem []byte) (int, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if d.full {
		return 0, errors.New("full")
	}
	i := d.base + len(d.known)
	d.known[i] = mem
	return i, nil
}

func (d *registering) Unregister(i int) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	if _, ok := d.known[i]; !ok {
		panic("what is not registered was unregistered")
	}
	delete(d.known, i)
}

// Memory is registered with a ring when it is first queued there, by that ring's index; and where
// it is refused it goes as other memory does.
func TestRegisteredWithEachRing(t *testing.T) {
	var drv []*registering
	var last uint32 // the Reg of the last operation, under the script's mu
	p := newSeveral(t, 3, func(ring int, d *script.Driver) driver.Driver {
		d.Rule = func(op *driver.Op) (int32, bool) {
			last = op.Reg
			return whole(op)
		}
		drv = append(drv, &registering{Driver: d, base: 10 * ring, full: ring == 2, known: map[int][]byte{}})
		return drv[ring]
	})
	files := map[int]*File{1: on(1), 2: on(2), 3: on(3)} // a device with a file is not forgotten
	<-p.begin(files[1])
	mem := [][]byte{make([]byte, 512), make([]byte, 512)}
	var regs []uint32
	for _, b := range mem {
		regs = append(regs, p.Rings().Register(b))
	}
	if len(drv[0].known) != 0 || p.Rings().Registered(regs[0]) {
		t.Error("memory is registered before it is queued")
	}
	for _, c := range []struct {
		device, mem int
		reg         uint32
	}{{1, 0, 1}, {1, 1, 2}, {2, 1, 11}, {2, 0, 12}, {2, 1, 11}, {3, 0, 0}, {3, 0, 0}} {
		var tr Transfer
		p.StartRead(&tr, files[c.device], mem[c.mem], 0, regs[c.mem])
		if n, err := tr.Wait(t.Context()); n != 512 || err != nil {
			t.Fatalf("read on device %d = %d, %v; want 512", c.device, n, err)
		}
		if last != c.reg {
			t.Errorf("device %d: memory %d went as %d; want %d", c.device, c.mem, last, c.reg)
		}
	}
	for _, reg := range regs {
		if !p.Rings().Registered(reg) {
			t.Errorf("memory %d is not registered", reg)
		}
		p.Rings().Unregister(reg)
	}
	for i, d := range drv {
		if len(d.known) != 0 {
			t.Errorf("%d are left with ring %d", len(d.known), i)
		}
	}
	runtime.KeepAlive(files)
}

// waitingRegistrar is a registering whose Register waits, as io_uring_register(2) does for a thread
// that submits.
type waitingRegistrar struct {
	*registering
	entered, released chan struct{}
}

func (d *waitingRegistrar) Register(mem []byte) (int, error) {
	close(d.entered)
	<-d.released
	return d.registering.Register(mem)
}

// A ring whose kernel does not register memory holds up no other memory, and no other ring.
func TestRegistrationWaits(t *testing.T) {
	slow := &waitingRegistrar{entered: make(chan struct{}), released: make(chan struct{})}
	p := newSeveral(t, 2, func(ring int, d *script.Driver) driver.Driver {
		d.Rule = whole
		r := &registering{Driver: d, known: map[int][]byte{}}
		if ring > 0 {
			return r
		}
		slow.registering = r
		return slow
	})
	first, second := on(1), on(2)
	<-p.begin(first)
	read := func(f *File, reg uint32) {
		if n, err := p.ReadAtReg(t.Context(), f, make([]byte, 512), 0, reg); n != 512 || err != nil {
			t.Errorf("ReadAtReg = %d, %v; want 512", n, err)
		}
	}
	held := p.Rings().Register(make([]byte, 512))
	ended := make(chan struct{})
	go func() { defer close(ended); read(first, held) }()
	<-slow.entered
	other := p.Rings().Register(make([]byte, 512))
	read(second, other)
	if !p.Rings().Registered(other) {
		t.Error("memory is not registered with a ring while another ring registers some")
	}
	p.Rings().Unregister(other)
	close(slow.released)
	<-ended
	p.Rings().Unregister(held)
}

// The goroutine that starts a Transfer registers its memory, before the Transfer waits for its
// ticket: whoever grants the ticket must not wait for the ring.
func TestRegisteredBeforeTheTicket(t *testing.T) {
	var drv *registering
	p := newSeveral(t, 2, func(_ int, d *script.Driver) driver.Driver {
		drv = &registering{Driver: d, known: map[int][]byte{}}
		return drv
	})
	c := p.Classes().New("class", fair.Settings{Weight: 1, Depth: 1})
	f := on(1)
	var holds, waits Transfer
	holds.Class, waits.Class = c, c
	p.StartRead(&holds, f, make([]byte, 512), 0, 0)
	mem := make([]byte, 512)
	reg := p.Rings().Register(mem)
	p.StartRead(&waits, f, mem, 0, reg)
	if !p.Rings().Registered(reg) {
		t.Error("the memory of a Transfer that waits for its ticket is not registered")
	}
	drv.Answer(drv.Next(0), 512)
	op := drv.Next(1)
	if op.Reg != 1 {
		t.Errorf("Reg = %d; want 1", op.Reg)
	}
	drv.Answer(op, 512)
	for _, tr := range []*Transfer{&holds, &waits} {
		if n, err := tr.Wait(t.Context()); n != 512 || err != nil {
			t.Errorf("Wait = %d, %v; want 512", n, err)
		}
	}
	p.Rings().Unregister(reg)
}

// A class has its share, its limits and the cap of each device: what waits for one
// that is stalled takes up nobody's room on another.
func TestClassesOfRings(t *testing.T) {
	p := newSeveral(t, 2, func(ring int, d *script.Driver) driver.Driver {
		if ring == 1 {
			d.Rule = whole
		}
		return d.Staging()
	})
	var depth atomic.Int32
	depth.Store(2)
	p.Classes().SetCapFinder(func(uint64) fair.Cap {
		return fair.Cap{Depth: int(depth.Load()), Bytes: 1 << 20, Beside: 1 << 20}
	})
	early := p.Classes().New("class", fair.Settings{Weight: 1, Depth: 1})
	ctx := qos.WithClass(t.Context(), early)
	read := func(f *File) <-chan struct{} {
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			if n, err := p.ReadAt(ctx, f, make([]byte, 512), 0); n != 512 || err != nil {
				t.Errorf("ReadAt = %d, %v; want 512", n, err)
			}
		}()
		return ended
	}
	// A device without a file is forgotten, and its ring is the next one's.
	slow, quick := on(1), on(2)
	var stuck []<-chan struct{}
	for range 5 {
		stuck = append(stuck, read(slow))
	}
	p.drv[0].Next(0)
	hang.Eventually(func() bool { return early.Stats().Queued == 4 })
	for range 20 {
		<-read(quick) // hangs if the class's one place is the other device's
	}
	if got := len(p.drv[0].Seen); got != 1 {
		t.Errorf("%d operations of a class with Depth 1 are on a device; want 1", got)
	}
	late := p.Classes().New("later", fair.Settings{Weight: 7})
	ctx = qos.WithClass(t.Context(), late)
	<-read(quick)
	stuck = append(stuck, read(slow))
	p.drv[0].Next(1) // the cap has room for it
	if st := early.Stats(); st.InFlight != 1 || st.Queued != 4 || st.Requests != 21 || st.Bytes != 20*512 {
		t.Errorf("the class's Stats are %+v; want 1 in flight, 4 queued, 21 begun, %d bytes", st, 20*512)
	}
	depth.Store(64)
	early.Configure(fair.Settings{Weight: 2}) // finds the caps again
	p.drv[0].Next(5)                          // all of them, with nothing in the way
	for i := range stuck {
		p.drv[0].Answer(p.drv[0].Next(i), 512)
	}
	for _, ended := range stuck {
		<-ended
	}
	if st := early.Stats(); st.InFlight != 0 || st.Queued != 0 || st.Requests != 25 {
		t.Errorf("the class's Stats are %+v; want nothing in flight, 25 begun", st)
	}
	runtime.KeepAlive(quick)
}

// A Close rejects the tickets that wait, in whichever ring.
func TestCloseRejectsTicketsOfRings(t *testing.T) {
	p := newSeveral(t, 2, func(_ int, d *script.Driver) driver.Driver { return d.Staging() })
	p.Classes().SetCapFinder(func(uint64) fair.Cap { return fair.Cap{Depth: 1, Bytes: 1 << 20, Beside: 1 << 20} })
	p.Classes().New("class", fair.Settings{Weight: 1})
	var holders, waiting [2]Transfer
	var files [2]*File
	for i := range files {
		files[i] = on(i + 1)
		p.StartRead(&holders[i], on(i+1), make([]byte, 512), 0, 0)
		p.StartRead(&waiting[i], files[i], make([]byte, 512), 0, 0)
	}
	for i, f := range files {
		p.CloseFile(f)
		if _, err := waiting[i].Wait(t.Context()); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Wait of a read on device %d = %v; want os.ErrClosed", i+1, err)
		}
		p.drv[i].Answer(p.drv[i].Next(0), 512)
		if n, err := holders[i].Wait(t.Context()); n != 512 || err != nil {
			t.Errorf("Wait = %d, %v; want 512", n, err)
		}
	}
}

// A Scheduler that nobody has is collected: what is done when a device is forgotten does not keep
// it.
func TestSchedulerIsCollected(t *testing.T) {
	hang.Watch(t)
	for _, simulated := range []bool{false, true} {
		p := weak.Make(usedScheduler(t, simulated))
		hang.Eventually(func() bool {
			runtime.GC()
			return p.Value() == nil
		})
	}
}

// usedScheduler returns a closed Scheduler that has had devices, rings and classes.
func usedScheduler(t *testing.T, simulated bool) *Scheduler {
	open := func() driver.Driver {
		d := script.New(8)
		d.Rule = whole
		return d
	}
	number := func(fd int) (uint64, bool) { return uint64(fd), fd > 0 }
	o := Options{}
	if simulated {
		o.Device = number
	}
	s := newOn(open(), o)
	s.Rings().SetMost(2, func(*record.Hook) (driver.Driver, error) { return open(), nil })
	s.paths.Device = number
	s.Classes().New("class", fair.Settings{Weight: 1})
	for device := range 3 {
		if n, err := s.ReadAt(context.Background(), on(device), make([]byte, 512), 0); n != 512 || err != nil {
			t.Errorf("ReadAt = %d, %v", n, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	return s
}
