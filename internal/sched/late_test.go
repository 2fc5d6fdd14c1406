package sched

import (
	"context"
	"errors"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// lateChoice is a Scheduler that chooses its driver late, and what became of that.
type lateChoice struct {
	s      *Scheduler
	made   atomic.Int32 // drivers that were chosen
	closed atomic.Int32 // and closed
	before func()       // is called at the beginning of the choice, if it is not nil
}

// late returns a Scheduler with few permits until its driver is chosen, and then with more.
func late() *lateChoice {
	c := &lateChoice{}
	c.s = New(func() driver.Driver {
		if c.before != nil {
			c.before()
		}
		c.made.Add(1)
		drv, err := pool.New(pool.Options{Depth: 128, Threads: 2})
		if err != nil {
			panic(err)
		}
		c.s.paths.Devices.Budgets().Widen()
		return async{countCloses{drv, &c.closed}}
	}, Options{})
	return c
}

// countCloses counts the calls of Close.
type countCloses struct {
	driver.Driver
	n *atomic.Int32
}

func (c countCloses) Close() error {
	c.n.Add(1)
	return c.Driver.Close()
}

// TestManyFirstOperations: of 64 goroutines that begin at once each has its bytes, and one driver
// was chosen for all.
func TestManyFirstOperations(t *testing.T) {
	hang.Watch(t)
	const n = 64
	f, err := os.Create(t.TempDir() + "/file")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	text := make([]byte, n)
	for i := range text {
		text[i] = byte(i)
	}
	if _, err := f.Write(text); err != nil {
		t.Fatal(err)
	}
	c := late()
	file := iopath.NewFile(int(f.Fd()), true, false)
	ctx, cancel := context.WithCancel(t.Context()) // so that no read is a plain call
	defer cancel()
	start := make(chan struct{})
	var all sync.WaitGroup
	for i := range n {
		all.Go(func() {
			<-start
			b := []byte{0xff}
			if m, err := c.s.ReadAt(ctx, file, b, int64(i)); m != 1 || err != nil || b[0] != byte(i) {
				t.Errorf("ReadAt(%d) = %d, %v, byte %d; want 1, nil, %d", i, m, err, b[0], i)
			}
		})
	}
	close(start)
	all.Wait()
	if st := c.s.Stats(); c.made.Load() != 1 || st.Queued != n || st.Rings != 1 {
		t.Errorf("%d drivers were chosen, %d operations queued in %d rings; want 1, %d, 1", c.made.Load(), st.Queued, st.Rings, n)
	}
	if err := c.s.Close(); err != nil || c.closed.Load() != 1 {
		t.Errorf("Close = %v, and %d drivers were closed; want nil, 1", err, c.closed.Load())
	}
}

// TestCloseBeforeTheChoice: a Scheduler that is closed before it needs a driver never has one.
func TestCloseBeforeTheChoice(t *testing.T) {
	c := late()
	if st := c.s.Stats(); st.Rings != 0 || st.InFlight != 0 {
		t.Errorf("Stats before the choice = %+v; want no ring", st)
	}
	if err := c.s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if info := c.s.Driver(); info.Name != "" || c.made.Load() != 0 {
		t.Errorf("after Close the driver is %q, and %d were chosen; want none", info.Name, c.made.Load())
	}
}

// TestCloseBesideTheChoice: Close waits for a choice in progress, and closes the driver.
func TestCloseBesideTheChoice(t *testing.T) {
	hang.Watch(t)
	c := late()
	choosing, ended := make(chan struct{}), make(chan struct{})
	c.before = func() {
		close(choosing)
		go func() {
			defer close(ended)
			if err := c.s.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
		}()
		for range 1000 { // enough for a Close that does not wait to end before the choice does
			select {
			case <-ended:
				t.Error("Close has returned while the driver was being chosen")
				return
			default:
				runtime.Gosched()
			}
		}
	}
	name := c.s.Driver().Name
	<-choosing
	<-ended
	if name != "pool" || c.closed.Load() != 1 {
		t.Errorf("the driver is %q, and %d drivers were closed; want pool, 1", name, c.closed.Load())
	}
}

// TestPermitsAreThoseOfTheDriver: a call that would wait for a permit has the driver chosen first,
// which may allow more threads.
func TestPermitsAreThoseOfTheDriver(t *testing.T) {
	for name, acquire := range map[string]func(s *Scheduler) (release func()){
		"file": func(s *Scheduler) func() {
			p, err := s.paths.AcquirePermit(context.Background(), budget.Changes, nil)
			if err != nil {
				t.Error(err)
			}
			return func() { p.Release() }
		},
		"name": func(s *Scheduler) func() {
			call, err := s.BeginNamed(context.Background(), Changes)
			if err != nil {
				t.Error(err)
			}
			return func() { call.End(0, "", 0, 0, nil) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			hang.Watch(t)
			c := late()
			var all []func()
			for range budget.Least { // waits for ever if there are still few permits
				all = append(all, acquire(c.s))
			}
			for _, release := range all {
				release()
			}
			if err := c.s.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
		})
	}
}

// TestRingsOfTheChoice: a Scheduler has as many rings as its choice of a driver asks for.
func TestRingsOfTheChoice(t *testing.T) {
	c := late()
	c.before = func() {
		c.s.Rings().SetMost(3, func(*record.Hook) (driver.Driver, error) { return nil, errors.ErrUnsupported })
	}
	c.s.Ready()
	if n, most := len(c.s.Rings().All()), c.s.Rings().Most(); n != 1 || most != 3 {
		t.Errorf("Rings = %d, %d; want 1, 3", n, most)
	}
	if err := c.s.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}
