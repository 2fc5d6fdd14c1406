//go:build linux && (amd64 || arm64)

package uring

import (
	"errors"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/drivertest"
	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// rings runs a test with a ring that is opened at once, and with one that is opened lazily.
func rings(t *testing.T, run func(t *testing.T, r *Ring)) {
	for name, o := range map[string]Options{"open": {Depth: 32}, "lazy": {Depth: 32, Lazy: true}} {
		t.Run(name, func(t *testing.T) {
			r := open(t, o)
			run(t, r)
			if err := r.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
		})
	}
}

// TestDescriptorReplaced checks that operations in flight return their results, that later ones are
// not begun, and that the program's descriptor stays open.
func TestDescriptorReplaced(t *testing.T) {
	rings(t, func(t *testing.T, r *Ring) {
		rd, wr := pipe(t)
		inFlight := stuck(rd, 8)
		submit(t, r, inFlight...)
		drivertest.ReplaceDescriptor(t, r.fd)
		more := stuck(rd, 8)
		n, err := r.Submit(more)
		if err == nil || errors.Is(err, driver.ErrClosed) {
			t.Fatalf("Submit = %d, %v; want an error", n, err)
		}
		if _, err := unix.Write(wr, make([]byte, len(inFlight))); err != nil {
			t.Fatal(err)
		}
		want := map[*driver.Op]int32{}
		for _, op := range inFlight {
			want[op] = 1
		}
		for _, op := range more[:n] {
			want[op] = canceled
		}
		done := make([]*driver.Op, 32)
		for len(want) > 0 {
			k, err := r.Reap(done, 1)
			if k == 0 || err == nil {
				t.Fatalf("Reap = %d, %v with %d operations in flight", k, err, len(want))
			}
			for _, op := range done[:k] {
				if res, ok := want[op]; !ok || op.Res != res {
					t.Errorf("operation came back with %d; want %d, %t", op.Res, res, ok)
				}
				delete(want, op)
			}
		}
		if k, err := r.Reap(done, 1); k != 0 || err == nil {
			t.Errorf("Reap with nothing in flight = %d, %v; want 0 and an error", k, err)
		}
	})
}

// TestLostUnderReap checks that a Reap in the kernel returns withdrawn operations as soon as the
// ring is lost, even if other operations do not end.
func TestLostUnderReap(t *testing.T) {
	rings(t, func(t *testing.T, r *Ring) {
		rd, wr := pipe(t)
		inFlight := stuck(rd, 1)
		submit(t, r, inFlight...)
		done := make([]*driver.Op, 32)
		var reaps sync.WaitGroup
		var n int
		var err error
		reaps.Go(func() { n, err = r.Reap(done, 1) })
		for !r.loss.waiting.Load() {
			unix.Nanosleep(&unix.Timespec{Nsec: 1e5}, nil)
		}
		more := stuck(rd, 3)
		if n := r.Stage(more); n != len(more) {
			t.Fatalf("Stage = %d; want %d", n, len(more))
		}
		r.lose(syscall.EPERM)
		reaps.Wait()
		if n != len(more) || !errors.Is(err, syscall.EPERM) {
			t.Fatalf("Reap = %d, %v; want %d, EPERM", n, err, len(more))
		}
		for _, op := range done[:n] {
			if op.Res != canceled {
				t.Errorf("an operation that the kernel has not begun came back with %d; want ECANCELED", op.Res)
			}
		}
		if _, err := unix.Write(wr, []byte{1}); err != nil {
			t.Fatal(err)
		}
		if n, err := r.Reap(done, 1); n != 1 || done[0] != inFlight[0] || done[0].Res != 1 || !errors.Is(err, syscall.EPERM) {
			t.Errorf("Reap = %d, %v; want the operation in flight, with 1, and EPERM", n, err)
		}
	})
}

// TestWakeOfLostRing checks that Wake works without the kernel.
func TestWakeOfLostRing(t *testing.T) {
	rings(t, func(t *testing.T, r *Ring) {
		rd, wr := pipe(t)
		submit(t, r, stuck(rd, 1)...)
		r.lose(syscall.EPERM)
		r.Wake()
		if n, err := r.Reap(make([]*driver.Op, 1), 1); n != 0 || err == nil {
			t.Errorf("Reap = %d, %v; want 0 and an error", n, err)
		}
		if _, err := unix.Write(wr, []byte{1}); err != nil { // Close waits for the read
			t.Fatal(err)
		}
	})
}

// TestNumberTaken checks that a ring whose descriptor was closed is lost as soon as another ring
// gets its number. It must submit nothing to that ring.
func TestNumberTaken(t *testing.T) {
	first := open(t, Options{Depth: 32})
	defer first.Close()
	number := first.fd
	unix.Close(number)
	second := open(t, Options{Depth: 32})
	defer second.Close()
	if second.fd != number {
		skip.Forf(t, skip.Chance, "the second ring has number %d; want %d", second.fd, number)
	}
	if n, err := first.Submit([]*driver.Op{op(driver.Nop, 0)}); n != 0 || !errors.Is(err, errDescriptor) {
		t.Errorf("Submit = %d, %v; want 0, %v", n, err, errDescriptor)
	}
	if _, err := first.Register(make([]byte, 10)); !errors.Is(err, errDescriptor) {
		t.Errorf("Register = %v; want %v", err, errDescriptor)
	}
	if err := first.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	submit(t, second, op(driver.Nop, 0))
	reap(t, second, 1)
}

// TestForeignRing checks that nothing is submitted to a ring of another library that has the
// descriptor's number. Before Linux 5.16 that ring has the same inode.
func TestForeignRing(t *testing.T) {
	t.Run("with an inode of its own", func(t *testing.T) { foreignRing(t, false) })
	t.Run("with the same inode", func(t *testing.T) { foreignRing(t, true) })
}

func foreignRing(t *testing.T, sameInode bool) {
	r := open(t, Options{Depth: 32})
	foreign := open(t, Options{Depth: 32})
	number := r.fd
	if err := unix.Dup3(foreign.fd, number, unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	defer unix.Close(number)
	defer foreign.Close()
	if sameInode {
		r.self = sys.Describe(number)
	}
	ops := []*driver.Op{op(driver.Nop, 0)}
	if n, err := r.Submit(ops); n != 1 || !errors.Is(err, errDescriptor) {
		t.Errorf("Submit = %d, %v; want 1, %v", n, err, errDescriptor)
	}
	if n, err := r.Reap(make([]*driver.Op, 1), 1); n != 1 || err == nil || ops[0].Res != canceled {
		t.Errorf("Reap = %d, %v with %d; want 1, an error, ECANCELED", n, err, ops[0].Res)
	}
	if err := r.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	// The other library still has its ring.
	if res := sys.UringEnter(number, 0, 0, 0); res != 0 {
		t.Errorf("io_uring_enter of the other ring = %d", res)
	}
}

// TestLazyRing checks that nothing is open before the first operation.
func TestLazyRing(t *testing.T) {
	open(t, Options{}).Close()
	before := mappings(t)
	r := open(t, Options{Lazy: true})
	if n := mappings(t); n != before {
		t.Errorf("%d mappings and descriptors of rings before the first operation; want %d", n, before)
	}
	submit(t, r, op(driver.Nop, 0))
	reap(t, r, 1)
	if n := mappings(t); n == before {
		t.Error("no ring is open after the first operation")
	}
	if err := r.Close(); err != nil {
		t.Error(err)
	}
	if n := mappings(t); n != before {
		t.Errorf("%d mappings and descriptors are left; before there were %d", n, before)
	}
	unused := open(t, Options{Lazy: true})
	unused.Cancel(op(driver.Nop, 0))
	if err := unused.Close(); err != nil {
		t.Errorf("Close of a ring that was not used = %v", err)
	}
	if n, err := unused.Submit([]*driver.Op{op(driver.Nop, 0)}); n != 0 || !errors.Is(err, driver.ErrClosed) {
		t.Errorf("Submit after Close = %d, %v", n, err)
	}
}
