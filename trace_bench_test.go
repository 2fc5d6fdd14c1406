package sluice_test

import (
	"os"
	"slices"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/trace"
)

// BenchmarkTraceCached is what recording costs in the fastest cell, reads of
// 4 KiB from the page cache by one goroutine: with nobody to record, with a
// Recorder that is stopped, with one that records. They take turns of a
// millisecond or two, of which the fastest tenth counts, so that what else the
// machine does is left out. To compare with no recorder at all run the same
// built with -tags sluice_notrace. docs/decisions/0016-trace.md has the figures.
func BenchmarkTraceCached(b *testing.B) {
	s := scheduler(b, sluice.Options{})
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
	page := alignedBytes(pageSize)
	b.ResetTimer()
	for range b.N {
		for i, state := range states {
			state.set()
			start := time.Now()
			for j := range int64(turn) {
				if _, err := f.ReadAt(page, j*37*pageSize%benchmarkSize); err != nil {
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

// BenchmarkTraceDirect is the same for reads from the disk by 64 goroutines:
// compare the sub-benchmarks.
func BenchmarkTraceDirect(b *testing.B) {
	for _, how := range []string{"none", "recording"} {
		b.Run(how, func(b *testing.B) {
			o := sluice.Options{}
			if how == "recording" {
				rec, err := trace.New(trace.Options{})
				if err != nil {
					b.Fatal(err)
				}
				rec.Start()
				o.Recorder = rec
			}
			f := pagesOn(b, scheduler(b, o), oDirect)
			b.SetParallelism(32)
			b.SetBytes(pageSize)
			b.ResetTimer()
			b.RunParallel(func(pb *testing.PB) {
				page, off := alignedBytes(pageSize), int64(0)
				for pb.Next() {
					if _, err := f.ReadAt(page, off); err != nil {
						b.Error(err)
						return
					}
					off = (off + 37*pageSize) % benchmarkSize
				}
			})
		})
	}
}

const benchmarkSize = 16 << 20 // 16 MiB

// pagesOn makes a file that is on the disk, and in the page cache.
func pagesOn(b *testing.B, s *sluice.Scheduler, flag int) *sluice.File {
	b.Helper()
	name := b.TempDir() + "/file"
	if err := os.WriteFile(name, make([]byte, benchmarkSize), 0o600); err != nil {
		b.Fatal(err)
	}
	f, err := s.OpenFile(name, os.O_RDWR|flag, 0)
	if err != nil {
		b.Skip(err)
	}
	b.Cleanup(func() { f.Close() })
	if err := f.Sync(); err != nil {
		b.Fatal(err)
	}
	return f
}
