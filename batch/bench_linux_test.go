package batch_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/batch"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// BenchmarkBatch compares Batches with the code that they replace: a loop of calls, and 64
// goroutines that share the calls. All take turns. The metrics are medians: thousands of operations
// (files, names) a second, and microseconds of CPU for each. docs/decisions/0022-batch.md has the
// figures.
func BenchmarkBatch(b *testing.B) {
	const n = 10_000
	s := testenv.Scheduler(b, sluice.Options{})
	for _, w := range []struct {
		name string
		n    int
		make func(b *testing.B, s *sluice.Scheduler, n int) work
	}{
		{"read", n, readWork},
		{"read-20", 20, readWork},
		{"stat", n, statWork},
		{"stat-1", 1, statWork},
		{"stat-5", 5, statWork},
		{"create", 1000, createWork(false)},
		{"create-sync", 100, createWork(true)},
		{"rename", n, renameWork},
		{"link-unlink", n, linkWork},
	} {
		b.Run(w.name, func(b *testing.B) { w.make(b, s, w.n).compare(b, w.n) })
	}
}

// BenchmarkBatchSmall compares small Batches of several sizes with a loop of calls of package os,
// and with one goroutine for each call. The metrics are medians of the ratios of successive turns:
// of Do to the loop in operations a second (do/loop) and in CPU an operation (cpu/loop), of Each to
// the loop, and of Do to goroutines. Run it with -benchtime=21x. docs/results has its figures.
func BenchmarkBatchSmall(b *testing.B) {
	s := testenv.Scheduler(b, sluice.Options{})
	for _, w := range []struct {
		name string
		make func(b *testing.B, s *sluice.Scheduler, n int) work
	}{
		{"stat", statWork},
		{"read", readWork},
		{"link", linkWork},
		{"mkdir", mkdirWork},
		{"rename", renameWork},
		{"readat", readAtWork},
		{"direct", directWork},
		{"sync", createWork(true)},
	} {
		for _, n := range []int{1, 2, 4, 8, 16, 64, 256} {
			b.Run(fmt.Sprint(w.name, "/", n), func(b *testing.B) { w.make(b, s, n).ratios(b, n) })
		}
	}
}

// work is n operations, to be done again and again: a user does one at a time, a Batch all of them.
type work struct {
	one   func(i int) error
	batch func() error
	each  func() error // the same, one by one
}

func (w work) compare(b *testing.B, n int) {
	sides := []side{
		{name: "loop", do: func() error { return w.spread(n, 1) }},
		{name: "64", do: func() error { return w.spread(n, 64) }},
		{name: "batch", do: w.batch},
	}
	for b.Loop() {
		for i := range sides {
			sides[i].take(b, n)
		}
	}
	for _, s := range sides {
		b.ReportMetric(median(s.rate), s.name+"-k/s")
		b.ReportMetric(median(s.cpu), s.name+"-us")
	}
	b.ReportMetric(0, "ns/op")
}

// ratios is compare with ratios to the loop.
func (w work) ratios(b *testing.B, n int) {
	loop := side{name: "loop", do: func() error {
		for i := range n {
			if err := w.one(i); err != nil {
				return err
			}
		}
		return nil
	}}
	do, each := side{name: "do", do: w.batch}, side{name: "each", do: w.each}
	spread := side{name: "goroutines", do: func() error { return w.spread(n, n) }}
	for b.Loop() {
		for _, s := range []*side{&loop, &do, &spread, &each} {
			s.take(b, n)
		}
	}
	b.ReportMetric(median(quotients(do.rate, loop.rate)), "do/loop")
	b.ReportMetric(median(quotients(do.cpu, loop.cpu)), "cpu/loop")
	b.ReportMetric(median(quotients(each.rate, loop.rate)), "each/loop")
	b.ReportMetric(median(quotients(do.rate, spread.rate)), "do/goroutines")
	b.ReportMetric(1e6/median(loop.rate), "ns/op") // of the loop
}

func quotients(a, b []float64) (q []float64) {
	for i := range a {
		q = append(q, a[i]/b[i])
	}
	return q
}

// spread does the operations in so many goroutines.
func (w work) spread(n, goroutines int) error {
	var all sync.WaitGroup
	errs := make([]error, goroutines)
	for g := range goroutines {
		all.Go(func() {
			for i := g; i < n && errs[g] == nil; i += goroutines {
				errs[g] = w.one(i)
			}
		})
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// side is one side of a comparison.
type side struct {
	name      string
	do        func() error
	rate, cpu []float64
}

// take makes a turn, of a thousand operations or more.
func (s *side) take(b *testing.B, n int) {
	b.Helper()
	times := 1 + 1000/n
	if err := s.do(); err != nil { // warms up the caches
		b.Fatal(s.name, err)
	}
	start, cpu := time.Now(), cpuTime(b)
	for range times {
		if err := s.do(); err != nil {
			b.Fatal(s.name, err)
		}
	}
	all := float64(n * times)
	s.rate = append(s.rate, all/1e3/time.Since(start).Seconds())
	s.cpu = append(s.cpu, float64((cpuTime(b)-cpu).Nanoseconds())/1e3/all)
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func median(v []float64) float64 {
	slices.Sort(v)
	return v[len(v)/2]
}

// batchOf returns work of a Batch that is filled anew each time.
func batchOf(s *sluice.Scheduler, n int, add func(b *batch.Batch, i int)) func() error {
	b := batch.New(s)
	return func() error {
		b.Reset()
		for i := range n {
			add(b, i)
		}
		return b.Do(context.Background())
	}
}

// eachOf is batchOf with Each.
func eachOf(s *sluice.Scheduler, n int, add func(b *batch.Batch, i int)) func() error {
	b := batch.New(s)
	return func() error {
		b.Reset()
		for i := range n {
			add(b, i)
		}
		var first error
		for _, err := range b.Each(context.Background()) {
			if first == nil {
				first = err
			}
		}
		return first
	}
}

// benchmarkFiles makes n files of 4 KiB, a hundred to a directory.
func benchmarkFiles(b *testing.B, n int) (names []string) {
	b.Helper()
	root := b.TempDir()
	for i := range n {
		dir := filepath.Join(root, fmt.Sprint(i/100))
		name := filepath.Join(dir, fmt.Sprint("file", i))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(name, make([]byte, 4096), 0o600); err != nil {
			b.Fatal(err)
		}
		names = append(names, name)
	}
	return names
}

func readWork(b *testing.B, s *sluice.Scheduler, n int) work {
	names, memory := benchmarkFiles(b, n), make([]byte, n*4096)
	add := func(b *batch.Batch, i int) {
		c := b.Chain()
		f := c.Open(names[i])
		c.ReadAt(f, memory[i*4096:(i+1)*4096], 0)
		c.Close(f)
	}
	return work{
		one: func(i int) error {
			_, err := os.ReadFile(names[i])
			return err
		},
		batch: batchOf(s, n, add),
		each:  eachOf(s, n, add),
	}
}

func statWork(b *testing.B, s *sluice.Scheduler, n int) work {
	names := benchmarkFiles(b, n)
	return work{
		one: func(i int) error {
			_, err := os.Stat(names[i])
			return err
		},
		batch: batchOf(s, n, func(b *batch.Batch, i int) { b.Chain().Stat(names[i]) }),
		each:  eachOf(s, n, func(b *batch.Batch, i int) { b.Chain().Stat(names[i]) }),
	}
}

// createWork writes existing files, truncated, so that turns are alike.
func createWork(sync bool) func(b *testing.B, s *sluice.Scheduler, n int) work {
	return func(b *testing.B, s *sluice.Scheduler, n int) work {
		names, data := benchmarkFiles(b, n), make([]byte, 4096)
		const flag = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
		add := func(b *batch.Batch, i int) {
			c := b.Chain()
			f := c.OpenFile(names[i], flag, 0o600)
			c.WriteAt(f, data, 0)
			if sync {
				c.Sync(f)
			}
			c.Close(f)
		}
		return work{
			one: func(i int) error {
				f, err := os.OpenFile(names[i], flag, 0o600)
				if err != nil {
					return err
				}
				defer f.Close()
				if _, err := f.Write(data); err != nil || !sync {
					return err
				}
				return f.Sync()
			},
			batch: batchOf(s, n, add),
			each:  eachOf(s, n, add),
		}
	}
}

func renameWork(b *testing.B, s *sluice.Scheduler, n int) work {
	names := benchmarkFiles(b, n)
	there := make([]string, n)
	for i := range names {
		there[i] = names[i] + ".new"
	}
	add := func(b *batch.Batch, i int) { b.Chain().Rename(names[i], there[i]) }
	rename, each := batchOf(s, n, add), eachOf(s, n, add)
	return work{
		one: func(i int) error {
			if err := os.Rename(names[i], there[i]); err != nil {
				return err
			}
			names[i], there[i] = there[i], names[i]
			return nil
		},
		batch: func() error {
			defer func() { names, there = there, names }()
			return rename()
		},
		each: func() error {
			defer func() { names, there = there, names }()
			return each()
		},
	}
}

func linkWork(b *testing.B, s *sluice.Scheduler, n int) work {
	names := benchmarkFiles(b, n)
	there := make([]string, n)
	for i := range names {
		there[i] = names[i] + ".link"
	}
	add := func(b *batch.Batch, i int) {
		c := b.Chain()
		c.HardLink(names[i], there[i])
		c.Unlink(there[i])
	}
	return work{
		one: func(i int) error {
			if err := os.Link(names[i], there[i]); err != nil {
				return err
			}
			return os.Remove(there[i])
		},
		batch: batchOf(s, n, add),
		each:  eachOf(s, n, add),
	}
}

func mkdirWork(b *testing.B, s *sluice.Scheduler, n int) work {
	names := benchmarkFiles(b, n)
	for i := range names {
		names[i] += ".dir"
	}
	add := func(b *batch.Batch, i int) {
		c := b.Chain()
		c.Mkdir(names[i], 0o700)
		c.Rmdir(names[i])
	}
	return work{
		one: func(i int) error {
			if err := os.Mkdir(names[i], 0o700); err != nil {
				return err
			}
			return os.Remove(names[i])
		},
		batch: batchOf(s, n, add),
		each:  eachOf(s, n, add),
	}
}

// readAtWork reads pages of an open file from the page cache.
func readAtWork(b *testing.B, s *sluice.Scheduler, n int) work {
	return pagesWork(b, s, n, 0)
}

// directWork reads pages of an open file from the disk.
func directWork(b *testing.B, s *sluice.Scheduler, n int) work {
	return pagesWork(b, s, n, sys.O_DIRECT)
}

func pagesWork(b *testing.B, s *sluice.Scheduler, n, flag int) work {
	name := filepath.Join(b.TempDir(), "file")
	err := os.WriteFile(name, make([]byte, n*4096), 0o600)
	theirs, err1 := os.OpenFile(name, flag, 0)
	ours, err2 := s.OpenFile(name, flag, 0)
	if err := errors.Join(err, err1, err2); err != nil {
		skip.For(b, skip.Direct, err)
	}
	b.Cleanup(func() {
		theirs.Close()
		ours.Close()
	})
	memory, on := testenv.AlignedBytes(n*4096), batch.On(ours)
	page := func(i int) ([]byte, int64) { return memory[i*4096 : (i+1)*4096], int64(i) * 4096 }
	add := func(b *batch.Batch, i int) {
		p, off := page(i)
		b.Chain().ReadAt(on, p, off)
	}
	return work{
		one: func(i int) error {
			p, off := page(i)
			_, err := theirs.ReadAt(p, off)
			return err
		},
		batch: batchOf(s, n, add),
		each:  eachOf(s, n, add),
	}
}
