//go:build amd64 || arm64

package ioengine

import (
	"context"
	"encoding/binary"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/record"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// uringRings returns the rings of one device, which may have two io_urings, and the device's Group.
func uringRings(t *testing.T) (r *Rings, of *Group) {
	hang.Watch(t)
	open := func(*record.Hook) (driver.Driver, error) { return uring.New(uring.Options{Depth: 16}) }
	first, err := open(nil)
	if err != nil {
		skip.ForDriver(t, "uring", err)
	}
	var now atomic.Int64
	r = &Rings{
		OnLoss:    func() { t.Error("a ring was lost") },
		Now:       func() time.Duration { return time.Duration(now.Add(int64(mostRest))) },
		PerDevice: func() int { return 2 },
	}
	r.Init(first, new(record.Hook))
	r.SetMost(2, open)
	t.Cleanup(func() {
		for _, e := range r.All() {
			e.Wait()
			if err := e.Close(); err != nil {
				t.Error(err)
			}
		}
	})
	var group atomic.Pointer[Group]
	r.Claim(&group)
	return r, group.Load()
}

// TestGroupOfTwoUrings has a device get another io_uring, and lose it, while operations go on:
// reads of a file, with registered memory, and a read of a pipe that ends only when it is canceled.
// Each read of the file gets its own block.
func TestGroupOfTwoUrings(t *testing.T) {
	const block, blocks = 512, 64
	text := make([]byte, blocks*block)
	for i := range blocks {
		binary.LittleEndian.PutUint64(text[i*block:], uint64(i)+1)
	}
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		t.Fatal(err)
	}
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	pipe, in, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer pipe.Close()
	defer in.Close()

	r, g := uringRings(t)
	var requests Requests
	mem := make([]byte, blocks*block)
	reg := r.Register(mem)
	// read reads all blocks at once, and returns how many reads each ring has made.
	read := func() map[*Engine]int {
		clear(mem)
		rings, all := map[*Engine]int{}, make([]*Request, blocks)
		for i := range all {
			q := requests.New()
			e := g.Of(q)
			q.Op.Code, q.Op.FD, q.Op.Off, q.Op.Buf = driver.Read, int32(file.Fd()), int64(i*block), mem[i*block:][:block]
			q.Op.Reg = r.RegIn(e, reg)
			e.Push(q)
			all[i] = q
			rings[e]++
		}
		for i, q := range all {
			q.Wait(context.Background())
			if got := binary.LittleEndian.Uint64(mem[i*block:]); q.Op.Res != block || got != uint64(i)+1 {
				t.Errorf("read of block %d = %d, of block %d", i+1, q.Op.Res, got)
			}
			q.Free()
		}
		return rings
	}
	if rings := read(); len(rings) != 1 {
		t.Fatalf("one ring: reads on %d", len(rings))
	}
	g.judge(tooMuch, 2)
	if rings := read(); len(rings) != 2 {
		t.Fatalf("two rings: reads on %d", len(rings))
	}
	second := r.All()[1]
	if r.KnownIn(second, reg) == 0 && r.KnownIn(r.All()[0], reg) != 0 {
		t.Error("the second ring has not registered the memory that the first one has")
	}
	stuck := requests.New()
	stuck.Op.Code, stuck.Op.FD, stuck.Op.Off, stuck.Op.Buf = driver.Read, int32(pipe.Fd()), 0, make([]byte, 1)
	second.Push(stuck)
	g.judge(waiting, 2) // and the clock is beyond any rest
	if g.Len() != 1 {
		t.Fatalf("%d rings; want 1", g.Len())
	}
	if rings := read(); len(rings) != 1 || rings[second] != 0 {
		t.Errorf("the ring that has left still gets reads: %d", rings[second])
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	stuck.Wait(ctx)
	if stuck.Op.Res != Canceled {
		t.Errorf("the read of the pipe = %d; want %d", stuck.Op.Res, Canceled)
	}
	g.judge(tooMuch, 2) // the ring comes back
	if rings := read(); len(rings) != 2 || len(r.All()) != 2 {
		t.Errorf("two rings again: reads on %d, of %d", len(rings), len(r.All()))
	}
	r.Unregister(reg)
	r.Leave(g)
}
