package sluice_test

import (
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/lend"
)

// TestLend: Close waits for who has the inside of a Scheduler, and nobody gets
// it afterwards.
func TestLend(t *testing.T) {
	s, err := sluice.NewScheduler(sluice.Options{Driver: "pool"})
	if err != nil {
		t.Fatal(err)
	}
	core, giveBack, err := lend.Scheduler(s)
	if err != nil || core == nil {
		t.Fatalf("Scheduler = %v, %v", core, err)
	}
	var given atomic.Bool
	closed := make(chan error)
	go func() {
		err := s.Close()
		if !given.Load() {
			err = errors.New("it did not wait")
		}
		closed <- err
	}()
	for range 1000 {
		runtime.Gosched() // for a Close that does not wait to be done
	}
	given.Store(true)
	giveBack()
	if err := <-closed; err != nil {
		t.Error("Close: ", err)
	}
	if _, _, err := lend.Scheduler(s); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Scheduler of a closed one: %v; want os.ErrClosed", err)
	}
}
