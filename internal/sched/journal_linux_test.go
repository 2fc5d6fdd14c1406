package sched

import (
	"context"
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/governor"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/allocs"
)

// A trial of a governor becomes a record: its choice is the name, and its epoch and result are the other fields.
func TestTrialsAreRecorded(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	for _, c := range []struct {
		inFlight     int32         // with few, plain calls are the first guess, and the queue is tried
		queue, plain time.Duration // how long an operation takes
		name         uint8
		res          int32
	}{
		{1, 4 * time.Microsecond, 5 * time.Microsecond, record.TrialQueue, 1250},
		{64, 20 * time.Microsecond, 10 * time.Microsecond, record.TrialPlain, 2000},
		{64, 10 * time.Microsecond, 20 * time.Microsecond, record.TrialPlain, 500},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s := New(script.New(8), Options{Govern: true})
			f, now := iopath.NewFile(1<<20, true, false), time.Duration(record.Now())+time.Hour // after the recording begins
			s.paths.Clock = func() time.Duration { return now }
			d := s.paths.Devices.None()
			d.Queued.Store(c.inFlight)
			defer d.Queued.Store(0)
			operate := func() (isPlain bool) {
				p, ok := s.tryPlain(context.Background(), governor.Reads, driver.Read, f)
				p.Release()
				if ok {
					now += c.plain
				} else {
					now += c.queue
				}
				return ok
			}
			for range 16 { // after these there is the first guess
				operate()
			}
			var operations int32 // of the trial
			_, calls := recorded(t, s, func() {
				for changes, last := 0, operate(); changes < 2; {
					switch isPlain := operate(); {
					case isPlain != last:
						last = isPlain
						if changes++; changes == 1 {
							operations = 1
						}
					case changes == 1:
						operations++
					}
				}
				for s.Choices() == nil {
					operate()
				}
			})
			took := c.plain
			if c.name == record.TrialQueue {
				took = c.queue
			}
			want := record.Call{Batch: operations, Res: c.res, Syscall: c.name}
			got := calls[0]
			length := time.Duration(got.End - got.Start)
			began := got.Start
			got.Start, got.End = 0, 0
			if got != want || length != time.Duration(operations)*took || began <= 0 {
				t.Errorf("the trial is recorded as %+v; want %+v of %v", calls[0], want, time.Duration(operations)*took)
			}
			allocs.None(t, "a choice", func() error { operate(); return nil })
		})
	}
}
