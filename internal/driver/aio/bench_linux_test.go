//go:build amd64 || arm64

package aio

import (
	"fmt"
	"math/rand/v2"
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/test/seed"
)

// BenchmarkRandomRead compares direct reads of random 4 KiB blocks through a Queue with as many
// goroutines in pread(2). The two take turns, so that noise of the machine affects both.
func BenchmarkRandomRead(b *testing.B) {
	const blocks = 64 << 10 // 256 MiB
	f := directFile(b, blocks)
	for _, depth := range []int{1, 16, 64, 256} {
		b.Run(fmt.Sprint(depth), func(b *testing.B) {
			q := newQueue(b, Options{Depth: depth})
			r := newReads(b, f, blocks, depth)
			duel(b, func(n int) { r.run(b, q, n) }, func(n int) { preads(b, f, blocks, depth, n) })
		})
	}
}

// preads performs n reads, by goroutines in pread(2).
func preads(b *testing.B, f *os.File, blocks, goroutines, n int) {
	var left atomic.Int64
	left.Store(int64(n))
	start := seed.Of(b)
	var wg sync.WaitGroup
	for g := range uint64(goroutines) {
		wg.Go(func() {
			buf, rnd := aligned(block), rand.New(rand.NewPCG(start, g))
			for left.Add(-1) >= 0 {
				if _, err := f.ReadAt(buf, int64(rnd.IntN(blocks))*block); err != nil {
					b.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// duel performs b.N operations in each of two ways, in turn. It reports the rate of the first, its
// ratio to the second's, and the CPU time per operation of each.
func duel(b *testing.B, first, second func(n int)) {
	const turns = 4
	var a, z cost
	for range turns {
		n := (b.N + turns - 1) / turns
		a.add(n, first)
		z.add(n, second)
	}
	b.ReportMetric(0, "ns/op")
	b.ReportMetric(a.rate(), "ops/s")
	b.ReportMetric(a.rate()/z.rate(), "x-pread")
	b.ReportMetric(a.cpuMicros(), "cpu-us/op")
	b.ReportMetric(z.cpuMicros(), "pread-cpu-us/op")
}

// cost is the time and the CPU time of operations.
type cost struct {
	n         int
	wall, cpu time.Duration
}

func (c *cost) add(n int, perform func(int)) {
	cpu, start := cpuTime(), time.Now()
	perform(n)
	c.wall += time.Since(start)
	c.cpu += cpuTime() - cpu
	c.n += n
}

func (c *cost) rate() float64      { return float64(c.n) / c.wall.Seconds() }
func (c *cost) cpuMicros() float64 { return float64(c.cpu.Nanoseconds()) / 1e3 / float64(c.n) }

// cpuTime returns the CPU time that the process has used.
func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
