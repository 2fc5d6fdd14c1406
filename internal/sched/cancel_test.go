package sched

import (
	"context"
	"testing"

	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// A Transfer that is abandoned can be started again at once.
func TestTransferAbandoned(t *testing.T) {
	hang.Watch(t)
	d := script.NewHeld(8)
	s := newOn(async{d}, Options{Threads: 4})
	f := iopath.NewFile(1, true, false)
	var first, late Transfer
	began := make(chan struct{})
	go func() { s.StartRead(&first, f, make([]byte, 8), 0, 0); close(began) }()
	<-d.Entered
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for range 3 {
		s.StartRead(&late, f, make([]byte, 8), 8, 0)
		if n, err := late.Wait(ended); n != 0 || err != context.Canceled {
			t.Errorf("Wait = %d, %v; want context.Canceled", n, err)
		}
	}
	close(d.Released)
	<-began
	d.Answer(d.Next(0), 8)
	if n, err := first.Wait(t.Context()); n != 8 || err != nil {
		t.Errorf("Wait = %d, %v; want 8", n, err)
	}
	f.Close(func() {})
	s.Close()
	if n := len(d.Seen); n != 1 {
		t.Errorf("%d operations were submitted; want 1", n)
	}
}
