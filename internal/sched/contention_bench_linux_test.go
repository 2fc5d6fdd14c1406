//go:build amd64 || arm64

package sched

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/record"
)

// nopGoroutines is how many goroutines contend.
const nopGoroutines = 64

// BenchmarkContention is what goroutines cost each other: requests that do
// nothing (IORING_OP_NOP), by 64 goroutines, with 1 to 16 processors of the Go
// runtime. Where the machine has fewer, the name of the run says so, and what it
// measures is contention with holders of locks that do not run.
//
// With rings=2 half of them have a ring, and the others another one, as for files
// of two devices.
//
// cpu-ns/op is the user and system time of the process; at most 1200 is the
// target at 64 goroutines.
//
//	go test -run '^$' -bench Contention ./internal/sched
func BenchmarkContention(b *testing.B) {
	for _, procs := range []int{1, 2, 4, 8, 16} {
		name := fmt.Sprintf("GOMAXPROCS=%d", procs)
		if cores := runtime.NumCPU(); procs > cores {
			name += fmt.Sprintf(",oversubscribed,cores=%d", cores)
		}
		for _, rings := range []int{1, 2} {
			b.Run(fmt.Sprintf("%s/rings=%d", name, rings), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				s := onRing(b)
				s.RingsThrough(rings, func(h *record.Hook) (driver.Driver, error) {
					return uring.New(uring.Options{Record: h})
				})
				s.rings.device = func(fd int) (uint64, bool) { return uint64(fd % rings), true }
				contend(b, s, nopGoroutines)
			})
		}
	}
}

// contend has goroutines make b.N requests that do nothing.
func contend(b *testing.B, s *Scheduler, goroutines int) {
	var left atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	b.ResetTimer()
	before := cpuTime(b)
	for g := range goroutines {
		f := NewFile(g, true, false) // a request that does nothing has no file
		all.Go(func() {
			for left.Add(-1) >= 0 {
				if res := s.transfer(context.Background(), driver.Nop, f, nil, 0); res != 0 {
					b.Errorf("a request that does nothing gives %d", res)
					return
				}
			}
		})
	}
	all.Wait()
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N), "cpu-ns/op")
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
