package schedulers

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestBubbles uses Schedulers in bubbles of testing/synctest, one after the other, and then
// outside. No channel of a bubble may be used in another bubble. Nothing may wait for the clock,
// which stands still in a bubble while a goroutine runs.
func TestBubbles(t *testing.T) {
	for _, driver := range testenv.Drivers {
		t.Run(driver, func(t *testing.T) {
			hang.Watch(t)
			name := filepath.Join(t.TempDir(), "f")
			for range 3 {
				synctest.Test(t, func(t *testing.T) { useMuch(t, driver, name) })
			}
			useMuch(t, driver, name)
		})
	}
}

// useMuch makes goroutines wait in all places: for requests, permits, tickets and shared fsyncs.
func useMuch(t *testing.T, driver, name string) {
	s := testenv.Scheduler(t, sluice.Options{Driver: driver, Threads: 1})
	f, err := s.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o666)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	for round := range 2 {
		var all sync.WaitGroup
		for i := range 16 {
			all.Go(func() {
				for k := range 20 {
					off := int64(i*20+k) * 4096
					if _, err := f.WriteAt(make([]byte, 4096), off); err != nil {
						t.Error(err)
					}
					if k%4 == 0 {
						if err := f.Sync(); err != nil {
							t.Error(err)
						}
					}
					f.Advise(off, 4096, sluice.AdviceDontNeed)
					if _, err := f.ReadAtContext(ctx, make([]byte, 4096), off); err != nil {
						t.Error(err)
					}
				}
			})
		}
		all.Wait()
		if round == 0 {
			if _, err := s.Class("slow", sluice.ClassOptions{}); err != nil {
				t.Fatal(err)
			}
		}
	}
}
