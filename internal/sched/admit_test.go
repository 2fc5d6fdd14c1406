package sched

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/device"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/pressure"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// Where there is room for a plain call, by what the governor has chosen, and the processors.
func TestRoom(t *testing.T) {
	for _, c := range []struct {
		choice     governor.Choice
		processors int
		inFlight   int32
		taken      bool
		most       int32
	}{
		{governor.Queue, 1, 0, false, 0},
		{governor.Queue, 2, 0, false, 1},
		{governor.Queue, 2, 1, false, 0},
		{governor.Queue, 64, 0, false, 1},
		{governor.Plain, 1, 100, false, 12}, // a quarter is left to what cannot be queued
		{governor.Plain, 64, 100, false, 48},
		{governor.Queue, 2, 3, true, 4}, // few
		{governor.Queue, 2, 4, true, 0},
		{governor.Plain, 1, 0, true, 0},
		{governor.Plain, 2, 4, true, 0},
		{governor.Plain, 64, 1, true, 48},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(c.processors))
			s := newOn(script.New(8), Options{Govern: true})
			s.paths.Clock = func() time.Duration { return time.Hour }
			d := s.paths.Devices.None()
			guess(s, d, governor.Reads, c.choice)
			if c.taken {
				s.paths.Engines.Processors.Used = nil // as if most of the processors' time was used
				s.paths.Engines.Processors.Waited(time.Second, s.paths.Clock())
			}
			if most := s.room(d, governor.Reads, c.inFlight); most != c.most {
				t.Errorf("room = %d; want %d", most, c.most)
			}
		})
	}
}

// When the processors were taken, an operation that is not alone finds out again, by a yield. Here
// the yield is quick, so they are no longer.
func TestTakenEnds(t *testing.T) {
	s := newOn(script.New(8), Options{Govern: true})
	now := time.Hour
	s.paths.Clock = func() time.Duration { return now }
	p, d := &s.paths.Engines.Processors, s.paths.Devices.None()
	p.Used = nil // as if most of the processors' time was used
	p.Waited(pressure.Slow, now)
	if !s.taken(d, governor.Reads) {
		t.Error("after a slow yield the processors are not taken")
	}
	now += 500 * time.Millisecond
	if s.taken(d, governor.Reads) || !p.Noted() {
		t.Error("a lone operation has found out again")
	}
	d.Queued.Store(1)
	if s.taken(d, governor.Reads) || p.Noted() {
		t.Error("an operation beside another has not found out again")
	}
}

// guess has a choice be the first guess of a governor.
func guess(s *Scheduler, d *device.Device, kind governor.Kind, c governor.Choice) {
	for range 16 {
		d.Governors[kind].Count(0, 2*int32(c)-1, journal{s}) // with few, it is plain calls
	}
}

// Each kind of operation asks for one permit of its kind.
func TestTryPlain(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const direct, buffered = true, false
	for _, c := range []struct {
		name   string
		code   driver.Code
		direct bool
		kind   governor.Kind
	}{
		{"a direct read", driver.Read, direct, governor.Reads},
		{"a large read", driver.Read, direct, governor.LargeReads},
		{"a buffered read", driver.Read, buffered, governor.Reads},
		{"a read at the position", driver.Read, buffered, governor.PositionReads},
		{"a direct write", driver.Write, direct, governor.Writes},
	} {
		s := newOn(script.New(8), Options{Govern: true})
		s.paths.AsyncBuffered[driver.Read] = true
		d, f := s.paths.Devices.None(), iopath.NewFile(1<<20, c.direct, false)
		guess(s, d, c.kind, governor.Queue)
		if _, ok := s.tryPlain(t.Context(), c.kind, c.code, f); ok {
			t.Errorf("%s with a context that ends is a plain call", c.name)
		}
		p, ok := s.tryPlain(context.Background(), c.kind, c.code, f)
		if !ok || d.InFlight() != 1 {
			t.Errorf("the only one, %s, is a plain call: %t; %d are in flight; want true, 1", c.name, ok, d.InFlight())
		}
		if _, ok := s.tryPlain(context.Background(), c.kind, c.code, f); ok {
			t.Errorf("%s beside another one is a plain call", c.name)
		}
		p.Release()
		d.Queued.Add(1)
		if _, ok := s.tryPlain(context.Background(), c.kind, c.code, f); ok {
			t.Errorf("%s beside a queued operation is a plain call", c.name)
		}
		s.paths.AsyncDirect, s.paths.AsyncBuffered = [driver.NumCodes]bool{}, [driver.NumCodes]bool{}
		p, ok = s.tryPlain(context.Background(), c.kind, c.code, f)
		if !ok {
			t.Errorf("%s that cannot be queued is no plain call", c.name)
		}
		p.Release()
	}
}

// While few operations are in flight there is no driver, until the queue is to be tried. If more
// come, they are queued, and there is one.
func TestFewNeedNoDriver(t *testing.T) {
	hang.Watch(t)
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, more := range []bool{false, true} {
		drv := script.New(8)
		drv.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }
		s := New(func() driver.Driver { return drv }, Options{Govern: true})
		s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 { return int32(len(b)) }
		var now atomic.Int64
		s.paths.Clock = func() time.Duration { return time.Hour + time.Duration(now.Load()) }
		f := iopath.NewFile(1<<20, true, false)
		read := func() {
			if n, err := s.ReadAt(context.Background(), f, make([]byte, 4096), 0); n != 4096 || err != nil {
				t.Fatalf("ReadAt = %d, %v", n, err)
			}
		}
		s.DeviceOf(f).Queued.Add(4)
		for range 1000 {
			read()
		}
		if s.paths.IsReady() {
			t.Error("1,000 reads, beside four operations, have a driver")
		}
		if more {
			s.DeviceOf(f).Queued.Add(1)
			for range 16 {
				read()
			}
			if !s.paths.IsReady() {
				t.Error("16 reads beside five operations have no driver")
			}
		} else {
			for range 1000 {
				now.Add(int64(100 * time.Microsecond))
				read()
			}
			hang.Eventually(s.paths.IsReady)
		}
		s.Close()
	}
}

// Close waits for a driver that is being prepared.
func TestPrepareEnds(t *testing.T) {
	hang.Watch(t)
	drv := &preparing{Driver: script.New(8), began: make(chan struct{}), goOn: make(chan struct{})}
	s := New(func() driver.Driver { return drv }, Options{Govern: true})
	journal{s}.Prepare()
	<-drv.began
	closed := make(chan error)
	go func() { closed <- s.Close() }()
	hang.Eventually(func() bool { return drv.closedEarly.Load() || hang.Parked("sync.(*WaitGroup).Wait") > 0 })
	close(drv.goOn)
	if err := <-closed; err != nil || drv.closedEarly.Load() {
		t.Errorf("Close = %v, while the driver was prepared: %v; want nil, false", err, drv.closedEarly.Load())
	}
}

// preparing is a driver whose first Wake, which prepares it, ends when goOn is closed.
type preparing struct {
	*script.Driver
	once               sync.Once
	began, goOn        chan struct{}
	ended, closedEarly atomic.Bool
}

func (d *preparing) Wake() {
	d.once.Do(func() {
		close(d.began)
		<-d.goOn
		d.ended.Store(true)
	})
	d.Driver.Wake()
}

func (d *preparing) Close() error {
	d.closedEarly.Store(!d.ended.Load())
	return d.Driver.Close()
}

// A call that finds no permit has the driver chosen, which may allow more permits. So 17 calls that
// hang are in the kernel at a time, although there are 16 permits at first.
func TestCallWithoutPermitChoosesDriver(t *testing.T) {
	hang.Watch(t)
	for range 500 {
		var s *Scheduler
		s = New(func() driver.Driver {
			s.paths.Devices.Budgets().Widen()
			return script.New(8)
		}, Options{Govern: true})
		f := iopath.NewFile(1<<20, false, false)
		start, hung := make(chan struct{}), make(chan struct{})
		var calls, ended sync.WaitGroup
		for range budget.Least + 1 {
			calls.Add(1)
			ended.Go(func() {
				<-start
				s.WithPermit(budget.Reads, f, func() {
					calls.Done()
					<-hung
				})
			})
		}
		close(start)
		calls.Wait()
		close(hung)
		ended.Wait()
		s.Close()
	}
}

// Each operation counts once, by its kind, in however many transfers it is made.
func TestEachCountsOnce(t *testing.T) {
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, make([]byte, 1<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.OpenFile(name, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	for _, c := range []struct {
		name   string
		direct bool
		do     func(s *Scheduler, f *File) (int, error)
		want   [governor.Kinds]uint32
	}{
		{"a direct ReadAt in parts", true, func(s *Scheduler, f *File) (int, error) {
			return s.ReadAt(context.Background(), f, make([]byte, 4096), 0)
		}, [governor.Kinds]uint32{governor.Reads: 1}},
		{"a large direct ReadAt", true, func(s *Scheduler, f *File) (int, error) {
			return s.ReadAt(context.Background(), f, make([]byte, 1<<20), 0)
		}, [governor.Kinds]uint32{governor.Reads: 1}},
		{"a large ReadAt", false, func(s *Scheduler, f *File) (int, error) {
			return s.ReadAt(context.Background(), f, make([]byte, 1<<20), 0)
		}, [governor.Kinds]uint32{governor.LargeReads: 1}},
		{"a direct Read", true, func(s *Scheduler, f *File) (int, error) {
			return s.ReadCurrent(f, make([]byte, 4096))
		}, [governor.Kinds]uint32{governor.Reads: 1}},
		{"a Read", false, func(s *Scheduler, f *File) (int, error) {
			return s.Read(f, make([]byte, 4096))
		}, [governor.Kinds]uint32{governor.PositionReads: 1}},
		{"a cached ReadAt", false, func(s *Scheduler, f *File) (int, error) {
			return s.ReadAt(context.Background(), f, make([]byte, 4096), 0)
		}, [governor.Kinds]uint32{}},
		{"a cached read into registered memory", false, func(s *Scheduler, f *File) (int, error) {
			return s.ReadAtReg(context.Background(), f, make([]byte, 4096), 0, 0)
		}, [governor.Kinds]uint32{}},
		{"a cached ReadAt, with classes", false, func(s *Scheduler, f *File) (int, error) {
			s.Classes().New("class", fair.Settings{Weight: 1})
			return s.ReadAt(context.Background(), f, make([]byte, 4096), 0)
		}, [governor.Kinds]uint32{}},
		{"a direct ReadAt in parts, with classes", true, func(s *Scheduler, f *File) (int, error) {
			s.Classes().New("class", fair.Settings{Weight: 1})
			return s.ReadAt(context.Background(), f, make([]byte, 4096), 0)
		}, [governor.Kinds]uint32{governor.Reads: 1}},
		{"a ReadAt with a context that ends", true, func(s *Scheduler, f *File) (int, error) {
			return s.ReadAt(t.Context(), f, make([]byte, 4096), 0)
		}, [governor.Kinds]uint32{}},
		{"a direct WriteAt", true, func(s *Scheduler, f *File) (int, error) {
			return s.WriteAt(context.Background(), f, make([]byte, 4096), 0)
		}, [governor.Kinds]uint32{governor.Writes: 1}},
		{"a buffered WriteAt", false, func(s *Scheduler, f *File) (int, error) {
			return s.WriteAt(context.Background(), f, make([]byte, 4096), 0)
		}, [governor.Kinds]uint32{}},
	} {
		for _, busy := range []int32{0, 5} {
			drv := script.New(8)
			drv.Rule = func(op *driver.Op) (int32, bool) {
				if op.Code == driver.Write {
					return int32(len(op.Buf)), true
				}
				return int32(min(len(op.Buf), 1024)), true // in parts
			}
			s := newOn(drv.Staging(), Options{Govern: true})
			s.paths.AsyncBuffered[driver.Read], s.paths.AsyncBuffered[driver.Write] = true, false
			s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 { return int32(len(b)) }
			f := iopath.NewFile(int(file.Fd()), c.direct, false)
			d := s.DeviceOf(f)
			d.Queued.Add(busy)
			if n, err := c.do(s, f); n == 0 || err != nil {
				t.Errorf("%s = %d, %v", c.name, n, err)
			}
			for kind, want := range c.want {
				if n := d.Governors[kind].Operations(); n != want {
					t.Errorf("%s, with %d in flight: the governor of %s has counted %d; want %d", c.name, busy, governor.Kind(kind), n, want)
				}
			}
			s.Close()
		}
	}
}

// The governor that counts a read chooses how it is performed. If that governor has chosen plain
// calls, the read is one, also beside others. If only other governors have, the read is queued.
func TestGovernorOfReads(t *testing.T) {
	hang.Watch(t)
	for _, c := range []struct {
		name   string
		direct bool
		size   int
		kind   governor.Kind
	}{
		{"direct", true, 4096, governor.Reads},
		{"large direct", true, largeRead, governor.Reads},
		{"large", false, largeRead, governor.LargeReads},
	} {
		for plain := range governor.Kinds {
			queued := 0
			drv := script.New(8)
			drv.Rule = func(op *driver.Op) (int32, bool) {
				queued++
				return int32(len(op.Buf)), true
			}
			s := newOn(drv, Options{Govern: true})
			s.paths.AsyncBuffered[driver.Read] = true
			s.paths.Call = func(_ driver.Code, _ int, b []byte, _ int64) int32 { return int32(len(b)) }
			f := iopath.NewFile(1<<20, c.direct, false)
			d := s.DeviceOf(f)
			for kind := range governor.Kinds {
				choice := governor.Queue
				if kind == plain {
					choice = governor.Plain
				}
				guess(s, d, kind, choice)
			}
			d.Queued.Add(5)
			if n, err := s.ReadAt(context.Background(), f, make([]byte, c.size), 0); n != c.size || err != nil {
				t.Errorf("%s: ReadAt = %d, %v", c.name, n, err)
			}
			if (queued == 0) != (plain == c.kind) {
				t.Errorf("a %s read, with plain calls for %s: %d were queued", c.name, plain, queued)
			}
			s.Close()
		}
	}
}
