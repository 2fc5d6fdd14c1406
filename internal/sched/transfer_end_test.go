package sched

import (
	"context"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// A transfer that has ended does not keep its file from being closed, waited
// for or not; one in progress does.
func TestTransferUsesItsFile(t *testing.T) {
	script.Run(t, 4, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		s := newOn(drv, queueAll)
		f := iopath.NewFile(1<<20, true, false)
		var tr Transfer
		s.StartRead(&tr, f, make([]byte, 10), 0, 0)
		op := d.Next(0)
		closed := make(chan bool)
		go func() { closed <- f.Close(func() {}) }()
		hang.Eventually(func() bool { return f.Closing() })
		select {
		case <-closed:
			t.Error("the file was closed while it was read")
		default:
		}
		d.Answer(op, 10)
		<-closed
		s.paths.Engines.All()[0].Wait()
		if err := s.paths.Engines.All()[0].Driver().Close(); err != nil {
			t.Fatal(err)
		}
		// Nobody is asked any more.
		if n, err := tr.Wait(ended()); n != 10 || err != nil {
			t.Errorf("Wait = %d, %v; want 10, nil", n, err)
		}
	})
}

// ended returns a context that has ended.
func ended() context.Context {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	return ctx
}

// Ended is called at the end of each transfer, also of one that is withdrawn,
// and can start the next one.
func TestTransferEnded(t *testing.T) {
	p := play(t, queueAll, []int32{100, 60}, []int32{0, -5})
	var first, second, third Transfer
	var all []bool
	third.Ended = func(ok bool) { all = append(all, ok) }
	second.Ended = func(ok bool) { all = append(all, ok); p.StartWrite(&third, p.f, make([]byte, 100), 200, 0, true) }
	first.Ended = func(ok bool) {
		all = append(all, ok)
		p.StartRead(&second, p.f, make([]byte, 100), 100, 0)
	}
	p.StartRead(&first, p.f, make([]byte, 100), 0, 0)
	for i, want := range []int{100, 60, 0} {
		tr := []*Transfer{&first, &second, &third}[i]
		if n, err := tr.Wait(t.Context()); n != want || (err == nil) != (n == 100) {
			t.Errorf("Wait %d = %d, %v; want %d", i, n, err, want)
		}
	}
	if len(all) != 3 || !all[0] || all[1] || all[2] {
		t.Errorf("Ended was told %v; want true, false, false", all)
	}
	p.goroutines.Wait()
	p.wantAsked(t,
		[]asked{{driver.Read, 0, 100}, {driver.Read, 100, 100}},
		[]asked{{driver.Read, 160, 40}, {driver.Write, 200, 100}})
}

// One that waits for a helper is withdrawn, and starts another in its end.
func TestTransferEndedWithdrawn(t *testing.T) {
	p := play(t, Options{Threads: 1}, nil, []int32{100})
	var first, second Transfer
	first.Ended = func(bool) { p.StartWrite(&second, p.f, make([]byte, 100), 100, 0, true) }
	if !p.hold() {
		t.Fatal("no permit is free")
	}
	p.StartWrite(&first, p.f, make([]byte, 100), 0, 0, true)
	if n, err := first.Wait(ended()); n != 0 || err != context.Canceled {
		t.Errorf("Wait = %d, %v; want 0, context.Canceled", n, err)
	}
	p.letGo()
	if n, err := second.Wait(t.Context()); n != 100 || err != nil {
		t.Errorf("Wait = %d, %v; want 100, nil", n, err)
	}
	p.goroutines.Wait()
}
