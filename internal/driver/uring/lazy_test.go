//go:build linux && (amd64 || arm64)

package uring

import (
	"errors"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestLazyRingRefused checks that a ring that cannot be opened at its first use is lost, whichever
// call is the first.
func TestLazyRingRefused(t *testing.T) {
	r := open(t, Options{Lazy: true})
	defer r.Close()
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		skip.For(t, skip.Limits, err)
	}
	none := limit
	none.Cur = 0
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		skip.For(t, skip.Limits, err)
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

// TestLazyRingFails checks that a ring that opens and cannot be used is closed again in openNow,
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
