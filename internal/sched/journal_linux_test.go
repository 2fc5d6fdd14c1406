package sched

import (
	"context"
	"fmt"
	"math"
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

// A trial of a governor becomes a record: its choice is the name, and its epoch and result are the
// other fields.
func TestTrialsAreRecorded(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(2))
	const (
		trialQueue = record.Trials + 2*uint8(governor.Reads) + uint8(governor.Queue)
		trialPlain = record.Trials + 2*uint8(governor.Reads) + uint8(governor.Plain)
	)
	for _, c := range []struct {
		// inFlight decides the first guess: with few it is plain calls, and the queue is tried.
		inFlight     int32
		queue, plain time.Duration // how long an operation takes
		name         uint8
		res          int32
	}{
		{1, 4 * time.Microsecond, 5 * time.Microsecond, trialQueue, 1250},
		{64, 20 * time.Microsecond, 10 * time.Microsecond, trialPlain, 2000},
		{64, 10 * time.Microsecond, 20 * time.Microsecond, trialPlain, 500},
	} {
		t.Run(fmt.Sprint(c), func(t *testing.T) {
			s := newOn(script.New(8), Options{Govern: true})
			f, now := iopath.NewFile(1<<20, true, false), time.Duration(0)
			s.paths.Clock = func() time.Duration { return now }
			d := s.paths.Devices.None()
			d.Queued.Store(c.inFlight)
			defer d.Queued.Store(0)
			operate := func() (isPlain bool) {
				s.count(context.Background(), governor.Reads, f)
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
				// Otherwise the first epochs, by that clock, would begin before the recording.
				time.Sleep(10 * wait)
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
			if c.name == trialQueue {
				took = c.queue
			}
			if n := calls[0].Batch; c.name == trialPlain && n > 0 && n < operations {
				operations = n // its epoch begins later
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

// A trial is recorded at its time, though the clock of governors began at another time than the
// clock of records.
func TestTimeOfTrial(t *testing.T) {
	s := newOn(script.New(8), Options{Govern: true})
	d := s.paths.Devices.None()
	s.paths.Clock = func() time.Duration { return time.Hour }
	const ago, length = 15 * time.Millisecond, 10 * time.Millisecond
	trial := governor.Trial{Choice: governor.Plain, Began: time.Hour - ago, Ended: time.Hour - ago + length, Rate: 1e9}
	s.recordTrial(d, governor.Syncs, &trial) // while nothing is recorded
	// The recording begins between times 0 and 1, and Trial runs between 2 and 3.
	var times [4]int64
	times[0] = record.Now()
	_, calls := recorded(t, s, func() {
		times[1] = record.Now()
		time.Sleep(wait)
		times[2] = record.Now()
		s.recordTrial(d, governor.Syncs, &trial)
		times[3] = record.Now()
	})
	if len(calls) != 1 {
		t.Fatalf("there are the records %+v; want one", calls)
	}
	got := calls[0]
	least, most := times[2]-times[1]-int64(ago), times[3]-times[0]-int64(ago)
	if got.Start < least || got.Start > most || got.End != got.Start+int64(length) || got.Res != math.MaxInt32 ||
		got.Syscall != record.Trials+2*uint8(governor.Syncs)+uint8(governor.Plain) {
		t.Errorf("the record is %+v; want a begin from %d to %d, and a length of %d", got, least, most, length)
	}
}

// A trial has the number of its device's first ring.
func TestRingOfTrial(t *testing.T) {
	var s *Scheduler
	s = New(func() driver.Driver {
		s.paths.Engines.SetMost(2, func(*record.Hook) (driver.Driver, error) { return script.New(8), nil })
		return script.New(8)
	}, Options{Govern: true})
	defer s.Close()
	s.Ready()
	_, calls := recorded(t, s, func() {
		for number := range uint64(2) {
			d := s.paths.Devices.Of(number)
			defer runtime.KeepAlive(d)
			s.paths.Engines.Claim(&d.Rings)
			now := s.paths.Clock()
			s.recordTrial(d, governor.Reads, &governor.Trial{Began: now, Ended: now, Rate: 1})
		}
	})
	if len(calls) != 2 || calls[0].Ring != 0 || calls[1].Ring != 1 {
		t.Errorf("trials on two devices are recorded as %+v; want rings 0 and 1", calls)
	}
}
