//go:build amd64 || arm64

package sched

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// nopGoroutines is how many goroutines contend, and nopTurn how many requests they make
// together in a turn.
const (
	nopGoroutines = 64
	nopTurn       = 20_000
)

// BenchmarkContention measures what goroutines cost each other: 64 goroutines make requests that do
// nothing (IORING_OP_NOP), with 1 to 16 processors of the Go runtime. Where the machine has fewer
// processors, the name of the run says so, and the run measures contention with holders of locks
// that do not run.
//
// Turns with one ring alternate with turns with several: two rings with half of the goroutines
// each, as for files of two devices; and as many rings as one device has when its leaders are the
// limit (ioengine.Group): one up to seven processors, then a quarter of the processors. The metrics
// are medians: of the time of a request with one ring; of the processor time of the process, with a
// target of at most 1200 ns; and of the ratios of neighbouring turns, several rings to one, below 1
// where several are quicker.
//
//	go test -run '^$' -bench Contention -benchtime=101x ./internal/sched
func BenchmarkContention(b *testing.B) {
	for _, procs := range []int{1, 2, 4, 8, 16} {
		name := fmt.Sprintf("GOMAXPROCS=%d", procs)
		if cores := runtime.NumCPU(); procs > cores {
			name += fmt.Sprintf(",oversubscribed,cores=%d", cores)
		}
		b.Run(name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			one, two, grown := newContest(b, 1, 1), newContest(b, 2, 2), newContest(b, 2, 1)
			sides := []*contest{one, two, grown}
			for _, c := range sides {
				c.turn(b) // to warm up
				c.took, c.cpu = nil, nil
			}
			if n := len(two.s.Rings().All()); n != 2 {
				skip.Forf(b, skip.Uring, "%d rings; want 2", n)
			}
			for i := range b.N {
				for j := range sides {
					sides[(i+j)%len(sides)].turn(b)
				}
			}
			b.ReportMetric(middle(one.took), "one-ns/req")
			b.ReportMetric(middle(one.cpu), "one-cpu-ns/req")
			b.ReportMetric(middle(quotients(two.took, one.took)), "two/one")
			b.ReportMetric(middle(quotients(two.cpu, one.cpu)), "two/one-cpu")
			n := len(grown.s.Rings().All())
			b.ReportMetric(float64(n), "grown-rings")
			b.ReportMetric(middle(quotients(grown.took, one.took)), "grown/one")
			b.ReportMetric(middle(quotients(grown.cpu, one.cpu)), "grown/one-cpu")
			b.ReportMetric(0, "ns/op")
		})
	}
}

// contest is one side: a Scheduler, and what a request of each turn took, in nanoseconds.
type contest struct {
	s         *Scheduler
	took, cpu []float64
}

// newContest returns a side with that many devices. Each of the first most devices has a ring to
// itself.
func newContest(b *testing.B, most, devices int) *contest {
	b.Helper()
	s := onRing(b)
	s.Rings().SetMost(most, func(h *record.Hook) (driver.Driver, error) {
		return uring.New(uring.Options{Record: h})
	})
	if devices > 1 {
		s.paths.Engines.PerDevice = func() int { return 1 }
	}
	// Device 0 is no device.
	s.paths.Device = func(fd int) (uint64, bool) { return uint64(1 + fd%devices), true }
	return &contest{s: s}
}

// turn has goroutines make requests that do nothing.
func (c *contest) turn(b *testing.B) {
	b.Helper()
	var left atomic.Int64
	left.Store(nopTurn)
	var all sync.WaitGroup
	start, cpu := time.Now(), cpuTime(b)
	for g := range nopGoroutines {
		f := iopath.NewFile(g, true, false) // a request that does nothing has no file
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if res := c.s.waitOrQueue(context.Background(), driver.Nop, f, nil, 0, 0); res != 0 {
					b.Errorf("a request that does nothing gives %d", res)
					return
				}
			}
		})
	}
	all.Wait()
	c.took = append(c.took, float64(time.Since(start))/nopTurn)
	c.cpu = append(c.cpu, float64(cpuTime(b)-cpu)/nopTurn)
}

// quotients divides each by its neighbour in time.
func quotients(a, b []float64) (q []float64) {
	for i := range a {
		q = append(q, a[i]/b[i])
	}
	return q
}

func middle(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// cpuTime is the processor time that the process has used.
func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
