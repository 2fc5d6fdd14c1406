package sched

import (
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// Where threads are the only parallelism, Transfers get all of budget.Parallel, also those that
// were started before the first helper had a permit.
func TestHelpersWiden(t *testing.T) {
	hang.Watch(t)
	const n = budget.Parallel
	var begun atomic.Int32
	all := make(chan struct{})
	wrap := func(iopath.Caller) iopath.Caller {
		return func(_ driver.Code, _ int, b []byte, _ int64) int32 {
			if begun.Add(1) == n {
				close(all)
			}
			<-all // hangs if fewer helpers read at once
			return int32(len(b))
		}
	}
	s := newOn(script.New(8), Options{Wrap: wrap})
	f := iopath.NewFile(1<<20, false, false)
	f.CanLook.Store(false)
	transfers := make([]Transfer, n)
	for i := range transfers {
		s.StartRead(&transfers[i], f, make([]byte, 10), int64(i), 0)
	}
	for i := range transfers {
		if got, err := transfers[i].Wait(t.Context()); got != 10 || err != nil {
			t.Errorf("read %d = %d, %v; want 10", i, got, err)
		}
	}
	s.CloseFile(f)
	s.Close()
}
