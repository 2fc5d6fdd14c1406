//go:build amd64 || arm64

package sched

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// BenchmarkLeader measures what an operation costs that goes through the queue of one ring: reads
// of 4 KiB with O_DIRECT by 64 goroutines. Instant is a driver that answers at once, so it measures
// our own cost. Tmpfs is a file in memory, a device that never waits; all of its reads are queued.
// The metrics are the time of an operation, the processor time of the process for it, the share of
// operations that were queued, and the operations of a submission.
//
// BenchmarkLeaderLimit measures the parts of that which are not ours.
//
//	go test -run '^$' -bench Leader -count=10 ./internal/sched
func BenchmarkLeader(b *testing.B) {
	for _, procs := range []int{1, 2, 8} {
		for name, open := range map[string]func(*testing.B) driver.Driver{
			"instant": func(*testing.B) driver.Driver { return &instant{} },
			"tmpfs":   memoryRing,
		} {
			b.Run(fmt.Sprintf("%s/GOMAXPROCS=%d", name, procs), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				s := newOn(open(b), Options{Plain: 0})
				defer s.Close()
				f := iopath.NewFile(directInMemory(b), true, false)
				// tmpfs refuses NoWait, and then no read is queued.
				f.Flags &^= driver.NoWait
				defer s.CloseFile(f)
				measure(b, func(g int) func(i int64) {
					buf := alignedBlock()
					return func(i int64) {
						off := (int64(g) + i*nopGoroutines) % 1024 * 4096
						if n, err := s.ReadAt(context.Background(), f, buf, off); n != len(buf) || err != nil {
							b.Errorf("ReadAt = %d, %v", n, err)
						}
					}
				})
				st := s.Stats()
				b.ReportMetric(float64(st.Queued)/float64(st.Queued+st.Plain), "queued")
				b.ReportMetric(float64(st.Queued)/float64(max(1, st.Batches)), "batch")
			})
		}
	}
}

// BenchmarkLeaderLimit measures what no leader can be quicker than. In channels 64 goroutines put
// themselves on a stack, and one goroutine wakes them through their channels and yields, as a
// leader does; there is no scheduler, no request and no driver. In ring one goroutine keeps reads
// of BenchmarkLeader's file in a ring, and wakes nobody.
func BenchmarkLeaderLimit(b *testing.B) {
	for _, procs := range []int{1, 2} {
		b.Run(fmt.Sprintf("channels/GOMAXPROCS=%d", procs), func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			var l wakingLeader
			measure(b, func(int) func(int64) {
				w := &sleeper{wake: make(chan struct{}, 1)}
				return func(int64) { l.sleep(w) }
			})
		})
	}
	for _, batch := range []int{4, 16, 64} {
		b.Run(fmt.Sprintf("ring/batch=%d", batch), func(b *testing.B) {
			drv := memoryRing(b).(driver.Stager)
			defer drv.Close()
			fd := directInMemory(b)
			ops, done := make([]*driver.Op, batch), make([]*driver.Op, batch)
			for i := range ops {
				ops[i] = &driver.Op{Code: driver.Read, Flags: driver.Direct, FD: int32(fd), Buf: alignedBlock()}
			}
			b.ResetTimer()
			start, cpu := time.Now(), cpuTime(b)
			for i := 0; i < b.N; i += batch {
				for j, op := range ops {
					op.Off = int64((i+j)%1024) * 4096
				}
				for staged := drv.Stage(ops); staged > 0; {
					n, err := drv.Reap(done, 1)
					if err != nil {
						b.Fatal(err)
					}
					staged -= n
				}
			}
			report(b, start, cpu)
		})
	}
}

// measure has 64 goroutines perform b.N operations together. start returns what performs an
// operation of the goroutine with a number; i is which of its operations that is.
func measure(b *testing.B, start func(g int) (perform func(i int64))) {
	b.Helper()
	var left atomic.Int64
	left.Store(int64(b.N))
	var all sync.WaitGroup
	b.ResetTimer()
	began, cpu := time.Now(), cpuTime(b)
	for g := range nopGoroutines {
		all.Go(func() {
			perform := start(g)
			for i := int64(0); left.Add(-1) >= 0; i++ {
				perform(i)
			}
		})
	}
	all.Wait()
	report(b, began, cpu)
}

// report reports the time and the processor time of an operation, since they were began and cpu.
func report(b *testing.B, began time.Time, cpu time.Duration) {
	b.Helper()
	b.ReportMetric(float64(time.Since(began))/float64(b.N), "ns/op")
	b.ReportMetric(float64(cpuTime(b)-cpu)/float64(b.N), "cpu-ns/op")
}

// sleeper is a goroutine that a wakingLeader wakes.
type sleeper struct {
	next *sleeper
	wake chan struct{}
}

// wakingLeader is a goroutine that wakes others, while there are any.
type wakingLeader struct {
	stack atomic.Pointer[sleeper]
	leads atomic.Bool
}

// sleep returns when the leader has woken w.
func (l *wakingLeader) sleep(w *sleeper) {
	for {
		w.next = l.stack.Load()
		if l.stack.CompareAndSwap(w.next, w) {
			break
		}
	}
	if !l.leads.Load() && l.leads.CompareAndSwap(false, true) {
		go l.lead()
	}
	<-w.wake
}

func (l *wakingLeader) lead() {
	for {
		w := l.stack.Swap(nil)
		if w == nil {
			l.leads.Store(false)
			if l.stack.Load() == nil || !l.leads.CompareAndSwap(false, true) {
				return
			}
			continue
		}
		for w != nil {
			next := w.next
			w.wake <- struct{}{}
			w = next
		}
		runtime.Gosched()
		runtime.Gosched()
	}
}

// memoryRing returns a ring for files in memory.
func memoryRing(b *testing.B) driver.Driver {
	b.Helper()
	drv, err := uring.New(uring.Options{Depth: 128})
	if err != nil {
		skip.ForDriver(b, "uring", err)
	}
	return drv
}

// directInMemory opens a file of 4 MiB with O_DIRECT on tmpfs, which Linux has since 6.6. With
// O_NONBLOCK io_uring reads it in the submission, and not in a kernel thread.
func directInMemory(b *testing.B) (fd int) {
	b.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "sluice")
	if err != nil {
		skip.For(b, skip.Tmpfs, err)
	}
	b.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(dir+"/data", make([]byte, 4<<20), 0o600); err != nil {
		b.Fatal(err)
	}
	fd, err = unix.Open(dir+"/data", unix.O_RDONLY|unix.O_DIRECT|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		skip.For(b, skip.Kernel, err)
	}
	b.Cleanup(func() { unix.Close(fd) })
	return fd
}

// instant is a driver that performs nothing, at once.
type instant struct {
	mu    sync.Mutex
	ready sync.Cond
	done  []*driver.Op
	woken bool
}

func (d *instant) Stage(ops []*driver.Op) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, op := range ops {
		op.Res = int32(len(op.Buf))
	}
	d.done = append(d.done, ops...)
	return len(ops)
}

func (d *instant) Submit(ops []*driver.Op) (int, error) {
	n := d.Stage(ops)
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.ready.L != nil {
		d.ready.Signal()
	}
	return n, nil
}

func (d *instant) Reap(done []*driver.Op, need int) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.ready.L = &d.mu
	for len(d.done) < need && !d.woken {
		d.ready.Wait()
	}
	d.woken = false
	n := copy(done, d.done)
	d.done = append(d.done[:0], d.done[n:]...)
	return n, nil
}

func (d *instant) Wake() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.woken = true
	if d.ready.L != nil {
		d.ready.Signal()
	}
}

func (d *instant) Cancel(*driver.Op)     {}
func (d *instant) Async(*driver.Op) bool { return true }
func (d *instant) Info() driver.Info     { return driver.Info{Name: "instant", Depth: 128} }
func (d *instant) Close() error          { return nil }

// alignedBlock returns 4 KiB at a multiple of 4 KiB.
func alignedBlock() []byte {
	b := make([]byte, 2*4096)
	skip := -uintptr(unsafe.Pointer(&b[0])) % 4096
	return b[skip:][:4096:4096]
}
