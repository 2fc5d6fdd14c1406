package sched

import (
	"context"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/hang"
	"github.com/sluiceio/sluice/internal/iopath"
)

// heldSubmit is a driver whose Submit does not return before it is released.
type heldSubmit struct {
	*script.Driver
	released chan struct{} // closed to let it go on
	entered  chan struct{} // holds a value when it has been entered
}

func (d heldSubmit) Submit(ops []*driver.Op) (int, error) {
	n, err := d.Driver.Submit(ops)
	select {
	case d.entered <- struct{}{}:
	default:
	}
	<-d.released
	return n, err
}

// A Transfer that is abandoned can be started again at once.
func TestTransferAbandoned(t *testing.T) {
	hang.Watch(t)
	d := heldSubmit{script.New(8), make(chan struct{}), make(chan struct{}, 1)}
	s := New(async{d}, Limits{Blocking: 4})
	f := iopath.NewFile(1, true, false)
	var first, late Transfer
	began := make(chan struct{})
	go func() { s.StartRead(&first, f, make([]byte, 8), 0, 0); close(began) }()
	<-d.entered
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		s.StartRead(&late, f, make([]byte, 8), 8, 0)
		if n, err := late.Wait(ended); n != 0 || err != context.Canceled {
			t.Errorf("Wait = %d, %v; want context.Canceled", n, err)
		}
	}
	close(d.released)
	<-began
	d.Answer(d.Next(0), 8)
	if n, err := first.Wait(t.Context()); n != 8 || err != nil {
		t.Errorf("Wait = %d, %v; want 8", n, err)
	}
	f.Close()
	s.Close()
	if n := len(d.Seen); n != 1 {
		t.Errorf("%d operations were submitted; want 1", n)
	}
}
