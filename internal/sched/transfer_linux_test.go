//go:build amd64 || arm64

package sched

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"unsafe"

	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/iopath"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/allocs"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// onRing makes a Scheduler with a ring, or skips the test.
func onRing(t testing.TB) *Scheduler {
	t.Helper()
	r, err := uring.New(uring.Options{})
	if err != nil {
		skip.ForDriver(t, "uring", err)
	}
	s := newOn(r, Options{Threads: 2})
	t.Cleanup(func() { s.Close() })
	return s
}

// directFile makes a file of n bytes and opens it with O_DIRECT, or skips.
func directFile(t testing.TB, n int) *File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(name, bytes.Repeat([]byte("0123456789abcdef"), n/16), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(name, os.O_RDWR|syscall.O_DIRECT, 0)
	if err != nil {
		skip.For(t, skip.Direct, err)
	}
	t.Cleanup(func() { f.Close() })
	return iopath.NewFile(int(f.Fd()), true, false)
}

// pages returns n bytes at a multiple of 4096.
func pages(n int) []byte {
	b := make([]byte, n+4096)
	return b[-uintptr(unsafe.Pointer(&b[0]))&4095:][:n:n]
}

func TestTransfersOnRing(t *testing.T) {
	s := onRing(t)
	f := directFile(t, 1<<20)
	mem := pages(256 << 10)
	reg := s.Rings().Register(mem)
	var all [4]Transfer
	const part = 64 << 10
	for round := range 4 {
		for i := range all {
			s.StartRead(&all[i], f, mem[i*part:][:part], int64((round*4+i)*part), reg)
		}
		for i := range all {
			if n, err := all[i].Wait(t.Context()); n != part || err != nil {
				t.Fatalf("Wait = %d, %v; want %d, nil", n, err, part)
			}
		}
		if !bytes.Equal(mem, bytes.Repeat([]byte("0123456789abcdef"), len(mem)/16)) {
			t.Error("wrong bytes")
		}
		copy(mem, bytes.Repeat([]byte{byte(round)}, part))
		s.StartWrite(&all[0], f, mem[:part], int64(round*4*part), reg, false)
		if n, err := all[0].Wait(t.Context()); n != part || err != nil {
			t.Fatalf("Wait = %d, %v; want %d, nil", n, err, part)
		}
		clear(mem)
		if n, err := s.ReadAtReg(t.Context(), f, mem[part:2*part], int64(round*4*part), reg); n != part || err != nil || mem[part] != byte(round) {
			t.Errorf("ReadAtReg = %d, %v, %d", n, err, mem[part])
		}
	}
}

// A Transfer allocates no memory, whatever becomes of it.
func TestTransferAllocatesNothing(t *testing.T) {
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector allocates")
	}
	s := onRing(t)
	direct, buffered := directFile(t, 1<<20), openSystem(t, make([]byte, 1<<20))
	helped := openSystem(t, make([]byte, 1<<20))
	helped.CanLook.Store(false)
	mem := pages(4096)
	reg := s.Rings().Register(mem)
	var tr Transfer
	ctx := t.Context()
	wait := func() error { _, err := tr.Wait(ctx); return err }
	for name, do := range map[string]func() error{
		"direct":    func() error { s.StartRead(&tr, direct, mem, 4096, 0); return wait() },
		"write":     func() error { s.StartWrite(&tr, direct, mem, 4096, 0, false); return wait() },
		"cached":    func() error { s.StartRead(&tr, buffered, mem, 4096, 0); return wait() },
		"by helper": func() error { s.StartRead(&tr, helped, mem, 4096, 0); return wait() },
		"fixed":     func() error { _, err := s.ReadAtReg(ctx, direct, mem, 4096, reg); return err },
	} {
		allocs.None(t, name, do)
	}
}
