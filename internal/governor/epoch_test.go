package governor

import (
	"testing"
	"time"
)

// An epoch ends once it is long enough and has enough operations, and says how many there were in a
// nanosecond.
func TestEpochEnds(t *testing.T) {
	for _, c := range []struct {
		name     string
		interval time.Duration // between two operations
		inFlight int32
		ops      uint32
	}{
		{"fast", time.Microsecond, 3, 1504},     // as long as leastTime
		{"slow", time.Millisecond, 3, leastOps}, // as many as leastOps
		// as many as turnovers times what is in flight
		{"deep", time.Millisecond, 100, 400},
		{"very slow", time.Second, 0, leastOps}, // a disk of one operation a second
		// 512 in flight; more operations fit into leastTime
		{"fast and deep", 100, 512, turnovers * 4096},
	} {
		var e epoch
		now := time.Hour
		for n := uint32(0); ; n += sampleEvery {
			s, ended := e.sample(n, c.inFlight, now, false)
			now += sampleEvery * c.interval
			if !ended {
				if n > 1<<20 {
					t.Fatalf("%s: the epoch does not end", c.name)
				}
				continue
			}
			if n != c.ops && c.name != "fast and deep" || n < leastOps || now-time.Hour < leastTime {
				t.Errorf("%s: the epoch ends after %d operations; want %d", c.name, n, c.ops)
			}
			if rate, want := s.rate(), 1/float64(c.interval); rate < 0.99*want || rate > 1.01*want {
				t.Errorf("%s: the rate is %g; want %g", c.name, rate, want)
			}
			break
		}
	}
}

// A time in which the program asks for nothing does not count. A time in which operations in flight
// do not end does.
func TestGap(t *testing.T) {
	for _, alone := range []bool{true, false} {
		var e epoch
		now, n := time.Hour, uint32(0)
		step := func(d time.Duration, alone bool) (span, bool) {
			now += d
			n += sampleEvery
			return e.sample(n, 3, now, alone)
		}
		step(0, false)
		for {
			if _, ended := step(100*time.Microsecond, true); ended {
				break
			}
		}
		if _, ended := step(50*time.Millisecond, alone); ended {
			t.Errorf("an epoch of %d operations", sampleEvery)
		}
		for {
			s, ended := step(100*time.Microsecond, true)
			if !ended {
				continue
			}
			if rate, usual := s.rate(), float64(sampleEvery)/float64(100*time.Microsecond); (rate > 0.9*usual) != alone {
				t.Errorf("after a gap in which nothing is in flight: %t, the rate is %g; without a gap it is %g", alone, rate, usual)
			}
			break
		}
	}
}

// An epoch needs an operation, however long it takes. A goroutine may count an operation, and then
// not run until another has counted more of them and begun an epoch.
func TestEpochWithoutOperations(t *testing.T) {
	now := time.Hour
	e := epoch{longest: leastTime}
	e.sample(2*sampleEvery, 1, now, false)
	if s, ended := e.sample(2*sampleEvery, 1, now+time.Second, false); ended {
		t.Errorf("an epoch of %d operations has ended", s.ops)
	}
	if s, ended := e.sample(3*sampleEvery, 1, now+2*time.Second, false); !ended || s.ops != sampleEvery {
		t.Errorf("epoch of %d operations, ended: %t; want %d, true", s.ops, ended, sampleEvery)
	}
}
