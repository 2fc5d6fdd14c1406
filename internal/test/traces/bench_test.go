package traces

import (
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
	"github.com/sluiceio/sluice/trace"
)

// BenchmarkTraceCached measures the cost of recording in the fastest cell, cached reads of 4 KiB by
// one goroutine. It compares no Recorder, a stopped one and a running one, in turns of a
// millisecond or two. Only the fastest tenth counts, which leaves out other work of the machine.
// For a build without recorders use -tags sluice_notrace. docs/decisions/0016-trace.md has the
// figures.
func BenchmarkTraceCached(b *testing.B) {
	s := testenv.Scheduler(b, sluice.Options{})
	rec, err := trace.New(trace.Options{})
	if err != nil {
		b.Fatal(err)
	}
	f := pagesOn(b, s, 0)
	states := []struct {
		name string
		set  func()
	}{
		{"none-ns", func() { s.Record(nil) }},
		{"stopped-ns", func() { rec.Stop(); s.Record(rec) }},
		{"recording-ns", func() { rec.Start(); s.Record(rec) }},
	}
	const turn = 1000
	took := make([][]float64, len(states))
	page := testenv.AlignedBytes(testenv.PageSize)
	b.ResetTimer()
	for range b.N {
		for i, state := range states {
			state.set()
			start := time.Now()
			for j := range int64(turn) {
				if _, err := f.ReadAt(page, j*37*testenv.PageSize%benchmarkSize); err != nil {
					b.Fatal(err)
				}
			}
			took[i] = append(took[i], float64(time.Since(start))/turn)
		}
	}
	for i, state := range states {
		slices.Sort(took[i])
		b.ReportMetric(took[i][len(took[i])/10], state.name)
	}
	b.ReportMetric(0, "ns/op")
}

// BenchmarkTraceDirect does the same for reads from the disk by 64 goroutines, which continue while
// the states take turns. The metric is the median ratio of the throughputs of a recorded
// turn and the unrecorded turn before it.
func BenchmarkTraceDirect(b *testing.B) {
	s := testenv.Scheduler(b, sluice.Options{})
	rec, err := trace.New(trace.Options{})
	if err != nil {
		b.Fatal(err)
	}
	rec.Start()
	f := pagesOn(b, s, sys.O_DIRECT)
	var done atomic.Bool
	var n atomic.Int64
	var all sync.WaitGroup
	for range 64 {
		all.Go(func() {
			page := testenv.AlignedBytes(testenv.PageSize)
			for off := int64(0); !done.Load(); off = (off + 37*testenv.PageSize) % benchmarkSize {
				if _, err := f.ReadAt(page, off); err != nil {
					b.Error(err)
					return
				}
				n.Add(1)
			}
		})
	}
	turn := func(r *trace.Recorder) float64 {
		s.Record(r)
		start, from := time.Now(), n.Load()
		time.Sleep(10 * time.Millisecond)
		return float64(n.Load()-from) / time.Since(start).Seconds()
	}
	var ratios []float64
	b.ResetTimer()
	for i := range b.N {
		if i%2 == 0 {
			none := turn(nil)
			ratios = append(ratios, turn(rec)/none)
		} else {
			recorded := turn(rec)
			ratios = append(ratios, recorded/turn(nil))
		}
	}
	done.Store(true)
	all.Wait()
	slices.Sort(ratios)
	b.ReportMetric(ratios[len(ratios)/2], "recording/none")
	b.ReportMetric(0, "ns/op")
}

const benchmarkSize = 16 << 20 // 16 MiB

// pagesOn makes a file that is on the disk, and cached.
func pagesOn(b *testing.B, s *sluice.Scheduler, flag int) *sluice.File {
	b.Helper()
	name := b.TempDir() + "/file"
	if err := os.WriteFile(name, make([]byte, benchmarkSize), 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := s.OpenFile(name, os.O_RDWR|flag, 0)
	if err != nil {
		skip.For(b, skip.Direct, err)
	}
	b.Cleanup(func() { f.Close() })
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	return f
}
