package soak

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sample is what the process holds while nothing runs.
type sample struct {
	at         time.Duration
	operations int64 // operations until then
	holds      [kinds]float64
}

// The counted resources.
const (
	resident = iota // memory, in bytes
	descriptors
	goroutines
	threads
	kinds
)

var kindNames = [kinds]string{"resident memory", "descriptors", "goroutines", "threads"}

// look takes a sample. Helpers of the library live for a moment after their last work, so it waits
// until there are at most before goroutines, for a second at most.
func look(t testing.TB, start time.Time, before int) (s sample) {
	t.Helper()
	for end := time.Now().Add(time.Second); runtime.NumGoroutine() > before && time.Now().Before(end); {
		time.Sleep(time.Millisecond)
	}
	// The first collection runs finalizers, and the second frees their objects.
	runtime.GC()
	debug.FreeOSMemory()
	s.at = time.Since(start)
	s.holds[goroutines] = float64(runtime.NumGoroutine())
	fds, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	s.holds[descriptors] = float64(len(fds))
	// The other files of /proc have an estimate that is wrong by some hundred KiB.
	rollup, err := os.ReadFile("/proc/self/smaps_rollup")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(rollup)) {
		if f := strings.Fields(line); f[0] == "Rss:" {
			kib, err := strconv.ParseFloat(f[1], 64)
			if err != nil {
				t.Fatal(err)
			}
			s.holds[resident] = kib * 1024
		}
	}
	names, err := filepath.Glob("/proc/self/task/*/comm")
	if err != nil || len(names) == 0 || s.holds[resident] == 0 {
		t.Fatalf("%d threads, %.0f bytes, %v", len(names), s.holds[resident], err)
	}
	for _, name := range names {
		// The kernel's workers of a ring come and go.
		if comm, err := os.ReadFile(name); err == nil && !strings.HasPrefix(string(comm), "iou-") {
			s.holds[threads]++
		}
	}
	return s
}

// drift is the change of something over the second half of the operations, along the straight line
// through the samples (least squares). It is not over the second half of the time, because a busy
// machine may make most operations in the first half.
type drift struct {
	from, to float64
	mean     float64
	steps    int // samples that are larger than all before them
}

func driftOf(all []sample, kind int) (d drift) {
	i := 0
	for i < len(all)-fewest && all[i].operations < all[len(all)-1].operations/2 {
		i++
	}
	half := all[i:]
	n := float64(len(half))
	var x, y float64
	for _, s := range half {
		x += float64(s.operations) / n
		y += s.holds[kind] / n
	}
	var xx, xy float64
	for _, s := range half {
		xx += (float64(s.operations) - x) * (float64(s.operations) - x)
		xy += (float64(s.operations) - x) * (s.holds[kind] - y)
	}
	slope := 0.0
	if xx > 0 {
		slope = xy / xx
	}
	line := func(s sample) float64 { return y + slope*(float64(s.operations)-x) }
	d = drift{from: line(half[0]), to: line(half[len(half)-1]), mean: y}
	most := half[0].holds[kind]
	for _, s := range half {
		if s.holds[kind] > most {
			most = s.holds[kind]
			d.steps++
		}
	}
	return d
}

// fewest is the least number of samples for a drift.
const fewest = 10

// The bounds of a drift over the second half.
const (
	mostResident = 0.01 // a part of the total
	mostCount    = 0.5  // descriptors or goroutines: none may be lost
	// The Go runtime keeps its threads, so their number is the most that were needed at once. In
	// the second half of a run of any length, it rises about 0.7 times. A leak makes it rise again
	// and again.
	mostSteps = 3
)

// grows reports whether the drift exceeds its bound.
func (d drift) grows(kind int) bool {
	switch kind {
	case resident:
		return d.to-d.from > mostResident*d.mean
	case threads:
		return d.steps > mostSteps
	}
	return d.to-d.from > mostCount
}

// TestDrift checks the verdict about noisy lines of known slope.
func TestDrift(t *testing.T) {
	noise := []float64{0.3, -0.2, 0, 0.1, -0.3, 0.2, -0.1}
	for _, c := range []struct {
		what  string
		kind  int
		value func(i int) float64
		grows bool
	}{
		{"memory that is level", resident, func(i int) float64 { return 1000 + 3*noise[i%len(noise)] }, false},
		{"memory that grows at first alone", resident, func(i int) float64 { return 1000 + float64(min(i, 100)) }, false},
		{"memory that grows by 2 % in the second half", resident, func(i int) float64 { return 1000 + 0.2*float64(i) + 3*noise[i%len(noise)] }, true},
		{"memory that becomes less", resident, func(i int) float64 { return 1000 - float64(i) }, false},
		{"a descriptor more at the beginning", descriptors, func(i int) float64 { return 20 + float64(min(i, 1)) }, false},
		{"a descriptor in each quarter", descriptors, func(i int) float64 { return 20 + float64(i/50) }, true},
		{"threads of one more peak", threads, func(i int) float64 { return 20 + 14*float64(i/150) }, false},
		{"a thread more in each twentieth", threads, func(i int) float64 { return 20 + float64(i/10) }, true},
		{"goroutines that differ by one", goroutines, func(i int) float64 { return 20 + float64(i%2) }, false},
	} {
		var all []sample
		for i := range 200 {
			s := sample{at: time.Duration(i) * time.Second, operations: int64(i)}
			s.holds[c.kind] = c.value(i)
			all = append(all, s)
		}
		if d := driftOf(all, c.kind); d.grows(c.kind) != c.grows {
			t.Errorf("%s: grows = %t with %+v", c.what, !c.grows, d)
		}
	}
}

// TestDriftOfOperations checks that a leak shows although the machine was busy with other work for
// most of the time.
func TestDriftOfOperations(t *testing.T) {
	var all []sample
	for i := range 200 {
		s := sample{operations: int64(min(i, 40)*1000 + i)}
		s.holds[resident] = 1000 + float64(s.operations)/100
		all = append(all, s)
	}
	if d := driftOf(all, resident); !d.grows(resident) {
		t.Errorf("a leak that stops with the operations does not show: %+v", d)
	}
}
