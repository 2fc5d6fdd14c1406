//go:build linux && (amd64 || arm64)

package uring

import (
	"errors"
	"slices"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
)

// TestLazyRingIsNotOpened: where it is certain that a ring can be opened, New opens none. It is
// opened by the first operation, and by a question for what the kernel has.
func TestLazyRingIsNotOpened(t *testing.T) {
	if !certain(64) {
		t.Skip("before Linux 6.0, or with little memory to lock, New opens a ring to find out what there is")
	}
	eager := open(t, Options{Depth: 64})
	defer eager.Close()
	for name, use := range map[string]func(r *Ring) error{
		"Submit":   func(r *Ring) error { _, err := r.Submit([]*driver.Op{op(driver.Nop, 0)}); return err },
		"Features": func(r *Ring) error { r.Features(); return nil },
	} {
		r := open(t, Options{Depth: 64, Lazy: true})
		if r.fd >= 0 {
			t.Errorf("New has opened the ring %d", r.fd)
		}
		for code := range driver.NumCodes {
			if o := op(code, 0); r.Async(o) != eager.Async(o) {
				t.Errorf("Async(%v) = %t before the ring is open, %t after", code, r.Async(o), eager.Async(o))
			}
		}
		if err := use(r); err != nil || r.fd < 0 {
			t.Errorf("%s: %v, descriptor %d; want a ring", name, err, r.fd)
		}
		if got, want := r.Features(), eager.Features(); !slices.Equal(got, want) {
			t.Errorf("Features = %q; want %q", got, want)
		}
		if err := r.Close(); err != nil {
			t.Errorf("Close = %v", err)
		}
	}
}

// TestLazyRingWithLittleMemory: where little memory may be locked, New opens a ring to see how
// deep it can be.
func TestLazyRingWithLittleMemory(t *testing.T) {
	for _, depth := range []uint32{1, 128, 16384} {
		size := uint64(depth) * (64 + 2*16 + 4)
		if enoughLocked(depth, 16*size-1) || !enoughLocked(depth, 16*size) {
			t.Errorf("depth %d: want a limit of 16 times %d bytes to be enough, and no less", depth, size)
		}
	}
}

// TestLazyRingRefused: a ring that cannot be opened when it is first used is lost,
// whichever call is the first.
func TestLazyRingRefused(t *testing.T) {
	r := open(t, Options{Lazy: true})
	defer r.Close()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		t.Skip(err)
	}
	none := limit
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Skip(err)
	}
	defer func() {
		if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
			t.Fatal(err)
		}
	}()
	var all sync.WaitGroup
	all.Go(func() {
		if _, err := r.Register(make([]byte, 10)); !errors.Is(err, syscall.EMFILE) {
			t.Errorf("Register = %v; want EMFILE", err)
		}
	})
	all.Go(func() {
		if n, err := r.Submit([]*driver.Op{op(driver.Nop, 0)}); n != 0 || !errors.Is(err, syscall.EMFILE) {
			t.Errorf("Submit = %d, %v; want 0, EMFILE", n, err)
		}
	})
	all.Go(func() {
		if n, err := r.Reap(make([]*driver.Op, 1), 1); n != 0 || !errors.Is(err, syscall.EMFILE) {
			t.Errorf("Reap = %d, %v; want 0, EMFILE", n, err)
		}
	})
	all.Go(r.Wake)
	all.Wait()
}

// TestLazyRingFails: a ring that opens and cannot be used is closed again in openNow,
// while other goroutines wait to register memory.
func TestLazyRingFails(t *testing.T) {
	r := open(t, Options{Lazy: true})
	defer r.Close()
	r.buffers.mu.Lock() // as Register does
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = r.Register(make([]byte, 10))
	}()
	for r.lazy.pending.Load() { // reopen does not need buffers.mu
		unix.Nanosleep(&unix.Timespec{Nsec: 1e5}, nil)
	}
	r.buffers.mu.Unlock()
	<-done
}
