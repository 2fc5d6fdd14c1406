package sched

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/fair"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// granting is a script that says when a Reap waits, and calls submitted at the end of a Submit.
type granting struct {
	*script.Driver
	reaps     chan struct{}
	submitted func()
}

func (d *granting) Reap(done []*driver.Op, need int) (int, error) {
	if need > 0 {
		d.reaps <- struct{}{}
	}
	return d.Driver.Reap(done, need)
}

func (d *granting) Submit(ops []*driver.Op) (int, error) {
	n, err := d.Driver.Submit(ops)
	if d.submitted != nil {
		d.submitted()
	}
	return n, err
}

// TestGrantedWhileClosing has a goroutine grant a Transfer's ticket, and submit it. The file stays
// in use until that goroutine has left the driver, although the Transfer has ended: Close of the
// file, and then of the driver, must wait for it.
func TestGrantedWhileClosing(t *testing.T) {
	hang.Watch(t)
	d := &granting{Driver: script.New(8), reaps: make(chan struct{}, 100)}
	s := newOn(d, queueAll)
	c := s.Classes().New("class", fair.Settings{Weight: 1, Depth: 1})
	start := func(tr *Transfer) *File {
		f := iopath.NewFile(1<<20, true, false)
		tr.Class = c
		f.Use()
		s.StartRead(tr, f, make([]byte, 512), 0, 0)
		f.Done()
		return f
	}
	wait := func(tr *Transfer, i int) {
		d.Answer(d.Next(i), 512)
		if n, err := tr.Wait(t.Context()); n != 512 || err != nil {
			t.Errorf("Wait = %d, %v; want 512, nil", n, err)
		}
	}
	var first, second Transfer
	start(&first)
	<-d.reaps // the leader does not submit what comes now
	f := start(&second)
	used := 0
	d.submitted = func() {
		d.submitted = nil
		wait(&second, 1)
		used = f.InUse()
	}
	c.Configure(fair.Settings{Weight: 1, Depth: 2})
	if used != 1 || f.InUse() != 0 {
		t.Errorf("the file is used %d times in Submit and %d times after it; want 1, 0", used, f.InUse())
	}
	wait(&first, 0)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
