package crowd

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/bench/internal/load"
	"github.com/sluiceio/sluice/bench/internal/slowdisk"
	"github.com/sluiceio/sluice/bench/scratch"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// twoDisks returns a job of goroutines on a disk of iops reads a second, with a file on another
// disk.
func twoDisks(t testing.TB, goroutines, iops int) (Job, *slowdisk.Disk) {
	t.Helper()
	if os.Geteuid() != 0 {
		skip.For(t, skip.Root, "a throttled device takes root")
	}
	dir := t.TempDir()
	slow, err := slowdisk.Open(t.Context(), dir, Size(goroutines), iops, func(float64) {})
	if err != nil {
		skip.For(t, skip.Cgroup, err)
	}
	t.Cleanup(func() {
		if err := slow.Close(); err != nil {
			t.Error(err)
		}
	})
	if slow.Simulated() {
		skip.For(t, skip.Cgroup, slow.What())
	}
	other, err := scratch.Create(t.Context(), dir, 1<<20, func(float64) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { other.Close() })
	return Job{Path: slow.Path(), Goroutines: goroutines, Beside: Beside{Path: other.Path()}}, slow
}

// TestOtherDisk reads one disk 100 times while another does 50 reads a second for 1500 goroutines.
// The first must be done before the crowd is, which takes half a minute. A read that queues behind
// the crowd is not.
func TestOtherDisk(t *testing.T) {
	j, slow := twoDisks(t, 1500, 50)
	j.Beside.Reads, j.Beside.After = 100, 1
	for _, driver := range []string{"uring", "aio"} {
		for _, direct := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s/direct=%v", driver, direct), func(t *testing.T) {
				o := j.run(t, slow, driver, direct, 0)
				if o.Other.Ended >= j.Goroutines {
					t.Errorf("all %d reads of the slow disk had ended when %d of another had, the longest of which took %v",
						o.Other.Ended, j.Beside.Reads, o.Other.Longest)
				}
			})
		}
	}
}

// run reads the two disks.
func (j Job) run(t testing.TB, slow *slowdisk.Disk, driver string, direct bool, rings int) Outcome {
	t.Helper()
	j.Side, j.Direct, j.Rings = load.Sluice(driver), direct, rings
	if driver == "" {
		j.Side = load.OSFile
	}
	if err := slow.DropCache(); err != nil {
		t.Fatal(err)
	}
	o, err := Run(t.Context(), self(t, "crowd"), j, slow.Add)
	if err != nil && strings.Contains(err.Error(), "sluice: driver "+driver) {
		skip.ForDriver(t, driver, err)
	}
	if err != nil || o.Died != "" {
		t.Fatalf("Run = %+v, %v", o, err)
	}
	return o
}

// BenchmarkOtherDisk measures the longest direct read of another disk while 12,000 goroutines, or
// one, wait for a disk of 500 reads a second. It uses the default rings, and one ring for all. For
// comparison, os.File reads while as many goroutines are parked and woken. stolen-ms is the time
// that the host took. It needs root.
//
//	go test -run '^$' -bench 'OtherDisk//^(alone|direct|cold)$' -benchtime 1x ./internal/crowd
func BenchmarkOtherDisk(b *testing.B) {
	most, slow := twoDisks(b, 12_000, 500)
	most.Beside.Reads = 20_000
	for _, driver := range []string{"uring", "aio", ""} {
		for _, c := range []struct {
			name       string
			goroutines int
			direct     bool
			rings      int
		}{
			{"alone", 1, true, 0},
			{"direct", 12_000, true, 0},
			{"cold", 12_000, false, 0},
			{"direct,rings=1", 12_000, true, 1},
			{"cold,rings=1", 12_000, false, 1},
		} {
			if driver == "" && (c.rings > 0 || !c.direct) {
				continue
			}
			b.Run(cmp.Or(driver, "os.File,parked")+"/"+c.name, func(b *testing.B) {
				j := most
				j.Goroutines = c.goroutines
				if driver == "" {
					j.Beside.Parked = 500
				}
				j.Beside.After = min(c.goroutines, 100)
				for range b.N {
					o := j.run(b, slow, driver, c.direct, c.rings)
					b.ReportMetric(o.Other.Longest.Seconds()*1e3, "longest-ms")
					b.ReportMetric(o.Other.Median.Seconds()*1e6, "median-us")
					b.ReportMetric(float64(o.Threads), "threads")
					b.ReportMetric(o.Other.Stolen.Seconds()*1e3, "stolen-ms")
				}
			})
		}
	}
}
