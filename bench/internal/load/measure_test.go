package load

import (
	"errors"
	"sync/atomic"
	"testing"
	"time"
)

// TestMeasure checks that each client performs its own operations, and that they are counted.
func TestMeasure(t *testing.T) {
	var by [3]atomic.Int64
	s, err := Measure(SliceReq{Lead: time.Millisecond, Time: 5 * time.Millisecond}, Load{Goroutines: len(by)}, func(client int) error {
		by[client].Add(1)
		time.Sleep(100 * time.Microsecond)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	total := int64(0)
	for i := range by {
		n := by[i].Load()
		if total += n; n == 0 {
			t.Errorf("client %d performed nothing", i)
		}
	}
	if s.Ops <= 0 || s.Ops > float64(total) {
		t.Errorf("Ops = %v of %d that were performed", s.Ops, total)
	}
	if s.P50 < 100*time.Microsecond || s.P99 < s.P50 || s.P999 < s.P99 || s.Max < s.P999*99/100 {
		t.Errorf("latencies are %v, %v, %v, %v; want them in order, from 100 us on", s.P50, s.P99, s.P999, s.Max)
	}
}

// TestMeasureSleeper checks that a sleeper is measured if the load asks for one.
func TestMeasureSleeper(t *testing.T) {
	slice := func(sleeper bool) Slice {
		s, err := Measure(SliceReq{Time: 20 * time.Millisecond}, Load{Goroutines: 1, Sleeper: sleeper}, func(int) error {
			time.Sleep(100 * time.Microsecond)
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	if s := slice(false); s.LateP50 != 0 || s.LateMax != 0 {
		t.Errorf("late by %v and %v without a sleeper; want 0", s.LateP50, s.LateMax)
	}
	if s := slice(true); s.LateMax <= 0 || s.LateP50 > s.LateMax {
		t.Errorf("late by %v in the median, and by %v at most; want a time", s.LateP50, s.LateMax)
	}
}

// TestMeasureError checks that an operation's error ends the slice.
func TestMeasureError(t *testing.T) {
	broken := errors.New("broken")
	if _, err := Measure(SliceReq{Time: time.Hour}, Load{Goroutines: 1}, func(int) error { return broken }); !errors.Is(err, broken) {
		t.Errorf("Measure = %v; want %v", err, broken)
	}
}
