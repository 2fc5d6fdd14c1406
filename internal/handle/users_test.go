package handle_test

import (
	"errors"
	"os"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// TestAcquire checks that Close waits for the users of a Scheduler, and that no user comes after
// it.
func TestAcquire(t *testing.T) {
	s, err := sluice.NewScheduler(sluice.Options{Driver: "pool"})
	if err != nil {
		t.Fatal(err)
	}
	h := inside.Scheduler(s)
	if err := h.Acquire(); err != nil {
		t.Fatalf("Acquire = %v", err)
	}
	var released atomic.Bool
	closed := make(chan error)
	go func() {
		err := s.Close()
		if !released.Load() {
			err = errors.New("it did not wait")
		}
		closed <- err
	}()
	for range 1000 {
		runtime.Gosched() // a Close that does not wait would end now
	}
	released.Store(true)
	h.Release()
	if err := <-closed; err != nil {
		t.Error("Close: ", err)
	}
	if err := h.Acquire(); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Acquire on a closed Scheduler = %v; want os.ErrClosed", err)
	}
}

// TestAlsoClose checks that Close of the file closes the second descriptor, and that AlsoClose on a
// closed file does, too.
func TestAlsoClose(t *testing.T) {
	name := t.TempDir() + "/f"
	if err := os.WriteFile(name, []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, late := range []bool{false, true} {
		f, err := sluice.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		h := inside.File(f)
		if h.IO == nil {
			f.Close()
			skip.For(t, skip.Platform, "files have no disk I/O here")
		}
		second, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if late {
			f.Close()
		}
		if err := h.AlsoClose(second); late != errors.Is(err, os.ErrClosed) || !late && err != nil {
			t.Errorf("AlsoClose, late = %v: %v", late, err)
		}
		if !late {
			f.Close()
		}
		if err := second.Close(); !errors.Is(err, os.ErrClosed) {
			t.Errorf("Close of the second, late = %v: %v; want os.ErrClosed", late, err)
		}
	}
}
