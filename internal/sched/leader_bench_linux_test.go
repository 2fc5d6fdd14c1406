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

// BenchmarkLeader is what an operation costs that goes through the queue of one ring, as reads of 4
// KiB with O_DIRECT by 64 goroutines: on a driver that answers at once, which is our own cost
// alone, and on a file in memory (tmpfs), a device that never waits. The metrics are the time of an
// operation, and the processor time of the process for it.
//
//	go test -run '^$' -bench Leader -count=10 ./internal/sched
func BenchmarkLeader(b *testing.B) {
	for _, procs := range []int{2, 8} {
		for name, open := range map[string]func() driver.Driver{
			"instant": func() driver.Driver { return &instant{} },
			"tmpfs": func() driver.Driver {
				drv, err := uring.New(uring.Options{Depth: 128})
				if err != nil {
					skip.ForDriver(b, "uring", err)
				}
				return drv
			},
		} {
			b.Run(fmt.Sprintf("%s/GOMAXPROCS=%d", name, procs), func(b *testing.B) {
				defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
				s := New(open(), Options{Plain: 0})
				defer s.Close()
				fd := directInMemory(b)
				f := iopath.NewFile(fd, true, false)
				defer s.CloseFile(f)
				var left atomic.Int64
				left.Store(int64(b.N))
				var all sync.WaitGroup
				b.ResetTimer()
				start, cpu := time.Now(), cpuTime(b)
				for g := range nopGoroutines {
					all.Go(func() {
						buf := alignedBlock()
						for i := int64(g); left.Add(-1) >= 0; i += nopGoroutines {
							if n, err := s.ReadAt(context.Background(), f, buf, i%1024*4096); n != len(buf) || err != nil {
								b.Errorf("ReadAt = %d, %v", n, err)
								return
							}
						}
					})
				}
				all.Wait()
				b.ReportMetric(float64(time.Since(start))/float64(b.N), "ns/op")
				b.ReportMetric(float64(cpuTime(b)-cpu)/float64(b.N), "cpu-ns/op")
				st := s.Stats()
				b.ReportMetric(float64(st.Queued)/float64(st.Queued+st.Blocking), "queued")
				b.ReportMetric(float64(st.Queued)/float64(max(1, st.Batches)), "batch")
			})
		}
	}
}

// directInMemory opens a file of 4 MiB with O_DIRECT on tmpfs, which Linux has since 6.6.
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
	fd, err = unix.Open(dir+"/data", unix.O_RDONLY|unix.O_DIRECT|unix.O_CLOEXEC, 0)
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
