package chains

import (
	"context"
	"slices"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice/internal/counters"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/ioengine"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// linker is a driver that a test plays. It has two files for chains.
type linker struct{ script.Stager }

func (linker) Files() int { return 2 }

// opens is a Source of chains that only open a file. Their owners are the names.
type opens struct {
	ctx   context.Context
	names []string
	ended chan any // the owners of chains that have ended
}

func (o *opens) Next(c *Chain) bool {
	if len(o.names) == 0 || o.ctx.Err() != nil {
		return false
	}
	name := o.names[0]
	o.names = o.names[1:]
	return c.Open(name, WorkingDir, name, 0)
}

func (o *opens) Ended(owner any, _ bool) { o.ended <- owner }
func (o *opens) Wait()                   {}

// TestCancelOnce checks that when the context ends, Run asks the driver once for each chain in
// flight to end early, however often Run then waits.
func TestCancelOnce(t *testing.T) {
	hang.Watch(t)
	d := script.New(8)
	var r Runner
	r.Init(func() driver.Linker { return linker{d.Staging()} }, Reports{
		Stats: new(counters.Counters), Losses: new(ioengine.LostDrivers), Hook: new(record.Hook),
	})
	if r.TryTake() == nil {
		t.Fatal("the Runner has no driver")
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	source := &opens{ctx: ctx, names: []string{"a", "b", "never begun"}, ended: make(chan any, 3)}
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx, source) }()
	ops := []*driver.Op{d.Next(0), d.Next(1)}
	cancel()
	d.Until(func() bool { return len(d.Cancelled) >= len(ops) })
	for _, op := range ops {
		d.Answer(op, -int32(syscall.ECANCELED))
		<-source.ended
	}
	<-done
	r.Leave()
	slices.Reverse(d.Cancelled) // the last slot is the first in use
	if !slices.Equal(d.Cancelled, ops) {
		t.Errorf("Run has canceled %d operations; want each of the %d in flight once", len(d.Cancelled), len(ops))
	}
	if err := r.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
}

// TestCancelUnstaged checks that a chain for which the driver has no room ends with the context.
// The driver never has the chain.
func TestCancelUnstaged(t *testing.T) {
	hang.Watch(t)
	d := script.New(1)
	var r Runner
	r.Init(func() driver.Linker { return linker{d.Staging()} }, Reports{
		Stats: new(counters.Counters), Losses: new(ioengine.LostDrivers), Hook: new(record.Hook),
	})
	r.TryTake()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	source := &opens{ctx: ctx, names: []string{"a", "b"}, ended: make(chan any, 2)}
	done := make(chan struct{})
	go func() { defer close(done); r.Run(ctx, source) }()
	op := d.Next(0)
	cancel()
	if owner := <-source.ended; owner != "b" {
		t.Errorf("the chain %v has ended; want b, which waits for room", owner)
	}
	d.Answer(op, -int32(syscall.ECANCELED))
	<-done
	if len(d.Seen) != 1 || !slices.Equal(d.Cancelled, d.Seen) {
		t.Errorf("the driver was given %d chains, and asked to end %d; want 1 and the same", len(d.Seen), len(d.Cancelled))
	}
	r.Leave()
	_ = r.Close()
}
