package sched

import (
	"bytes"
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// Close of a file waits for the operations that use it, and lets no more
// start; exactly one Close is the first.
func TestFileCloseWaitsForOperations(t *testing.T) {
	hang.Watch(t)
	for range 300 {
		f := iopath.NewFile(1<<20, false, false)
		var open atomic.Bool
		var firsts, inside atomic.Int32
		open.Store(true)
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				for f.Use() {
					inside.Add(1)
					runtime.Gosched()
					if !open.Load() {
						t.Error("the descriptor was closed under an operation")
					}
					inside.Add(-1)
					f.Done()
				}
			})
		}
		for range 3 {
			all.Go(func() {
				runtime.Gosched()
				if f.Close(func() {}) {
					firsts.Add(1)
					open.Store(false)
					if n := inside.Load(); n != 0 {
						t.Errorf("Close returned with %d operations in progress", n)
					}
				}
			})
		}
		all.Wait()
		if firsts.Load() != 1 {
			t.Errorf("%d first calls of Close; want 1", firsts.Load())
		}
	}
}

// Close of a Scheduler leaves no goroutine behind.
func TestCloseLeavesNoGoroutine(t *testing.T) {
	before := stacks()
	script.Run(t, 4, func(t *testing.T, d *script.Driver, drv driver.Driver) {
		d.Rule = func(op *driver.Op) (int32, bool) { return int32(len(op.Buf)), true }
		s := newOn(drv, queueAll)
		f := iopath.NewFile(1<<20, true, false)
		var all sync.WaitGroup
		for range 16 {
			all.Go(func() {
				ctx, cancel := context.WithCancel(t.Context())
				go cancel()
				if n, err := s.ReadAt(ctx, f, make([]byte, 10), 0); n != 10 && err != context.Canceled {
					t.Errorf("ReadAt = %d, %v; want 10, nil, or context.Canceled", n, err)
				}
				if n, err := s.WriteAt(t.Context(), f, make([]byte, 10), 0); n != 10 || err != nil {
					t.Errorf("WriteAt = %d, %v; want 10, nil", n, err)
				}
				cancel()
			})
		}
		all.Wait()
		if err := s.Close(); err != nil || !d.Closed {
			t.Errorf("Close = %v; the driver is closed: %t", err, d.Closed)
		}
	})
	var left string
	// A goroutine that has done its last act takes a while to go.
	for end := time.Now().Add(time.Minute); time.Now().Before(end); time.Sleep(time.Millisecond) {
		left = ""
		for id, g := range stacks() {
			if _, ok := before[id]; !ok && !bytes.Contains([]byte(g), []byte("testing.")) {
				left = g
			}
		}
		if left == "" {
			return
		}
	}
	t.Errorf("left behind:\n%s", left)
}

// stacks returns all goroutines' stacks by their names, "goroutine 7".
func stacks() map[string]string {
	buf := make([]byte, 1<<20)
	buf = buf[:runtime.Stack(buf, true)]
	m := map[string]string{}
	for g := range bytes.SplitSeq(buf, []byte("\n\n")) {
		id, _, _ := bytes.Cut(g, []byte(" ["))
		m[string(id)] = string(g)
	}
	return m
}
