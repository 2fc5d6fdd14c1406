package experiments

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/sluiceio/sluice/bench/internal/crowd"
	"github.com/sluiceio/sluice/bench/internal/load"
)

// fakeSlow is a disk on which os.File's threads grow with the goroutines, and sluice's do not.
type fakeSlow struct {
	threads int   // of sluice
	over    int64 // sluice's memory beyond the goroutines' stacks and buffers
	fail    error
	closed  *bool

	simulated bool
}

func (f fakeLab) Slow(context.Context, int64, int, func(float64)) (SlowDisk, error) {
	return fakeSlow{threads: 10, over: 20 << 20}, nil
}

func (f fakeSlow) What() string { return "ext4 on /dev/loop7, a loop device of 500 reads a second" }

func (f fakeSlow) Simulated() bool { return f.simulated }

func (f fakeSlow) Crowd(_ context.Context, side load.Side, n int, _ bool) (crowd.Outcome, error) {
	own := int64(n) * 4 << 10
	o := crowd.Outcome{Elapsed: time.Duration(n) * 2 * time.Millisecond, Stacks: own, Buffers: own, Resident: 2*own + f.over, Threads: f.threads}
	if side.Way != load.ByOS && side.Way != load.ByGoBuild {
		o.Explain = fakeDriver
		return o, f.fail
	}
	o.Threads = n + 4
	if n > 10_000 {
		return crowd.Outcome{Threads: 10_000, Elapsed: time.Second, Died: "fatal error: thread exhaustion"}, nil
	}
	return o, nil
}

func (f fakeSlow) Close() error {
	if f.closed != nil {
		*f.closed = true
	}
	return nil
}

// slowLab is a lab with a fakeSlow.
type slowLab struct {
	fakeLab
	disk SlowDisk
	err  error
}

func (l slowLab) Slow(context.Context, int64, int, func(float64)) (SlowDisk, error) {
	return l.disk, l.err
}

// TestThreadsVerdict misses each target in turn.
func TestThreadsVerdict(t *testing.T) {
	for _, test := range []struct {
		disk fakeSlow
		want []string
	}{
		{fakeSlow{threads: 26, over: 63 << 20}, []string{"os.File dies", "26 threads", "disk: 26: reached", "under 64 MiB: reached"}},
		{fakeSlow{threads: 27, over: 63 << 20}, []string{"disk: 26: missed", "under 64 MiB: reached"}},
		{fakeSlow{threads: 26, over: 64 << 20}, []string{"disk: 26: reached", "under 64 MiB: missed"}},
	} {
		result, _, err := run(t, threads, slowLab{disk: test.disk}, Params{})
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range test.want {
			if got := result.(*ThreadsResult).Verdict; !strings.Contains(got, want) {
				t.Errorf("verdict is %q; want %q in it", got, want)
			}
		}
	}
}

// TestThreadsVerdictIsOfTheMost checks that the row with the most goroutines decides, even if a row
// with fewer goroutines has more threads.
func TestThreadsVerdictIsOfTheMost(t *testing.T) {
	row := func(goroutines int, side load.Side, threads int, died string) ThreadsRow {
		return ThreadsRow{load.Load{Goroutines: goroutines}, side, crowd.Outcome{Threads: threads, Died: died}}
	}
	r := &ThreadsResult{Procs: 2, Rows: []ThreadsRow{
		row(1000, load.OSFile, 857, ""), row(1000, load.Sluice(""), 9, ""),
		row(12000, load.OSFile, 10000, "thread exhaustion"), row(12000, load.Sluice(""), 8, ""),
		row(12000, load.OSFile, 9000, ""), row(12000, load.Sluice(""), 7, ""),
	}}
	if got := r.verdict(); !strings.HasPrefix(got, "with 12000 goroutines os.File dies; sluice takes 8 threads") {
		t.Errorf("verdict is %q", got)
	}
}

// TestThreadsClosesTheDisk checks that the disk is closed after a process fails.
func TestThreadsClosesTheDisk(t *testing.T) {
	closed, broken := false, errors.New("input/output error")
	_, _, err := run(t, threads, slowLab{disk: fakeSlow{fail: broken, closed: &closed}}, Params{})
	if !errors.Is(err, broken) || !closed {
		t.Errorf("Run = %v, the disk is closed: %v; want the error, and it closed", err, closed)
	}
}

func TestThreadsNoDisk(t *testing.T) {
	_, _, err := run(t, threads, slowLab{err: errors.New("no slow disk")}, Params{})
	if err == nil || err.Error() != "threads: no slow disk" {
		t.Errorf("Run = %v; want the reason", err)
	}
}
