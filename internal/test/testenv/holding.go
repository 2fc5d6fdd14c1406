package testenv

import (
	"errors"
	"os"
	"sync"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
	"github.com/sluiceio/sluice/internal/driver/uring"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// Holding is a driver that keeps submitted operations from the kernel until the test releases it.
type Holding struct {
	driver.Driver
	mu   sync.Mutex
	held []*driver.Op
	open bool // released: operations pass
}

// Async returns true: the Scheduler queues everything into h.
func (h *Holding) Async(*driver.Op) bool { return true }

// Submit keeps ops until Release. After that it passes them on.
func (h *Holding) Submit(ops []*driver.Op) (int, error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.open {
		return h.Driver.Submit(ops)
	}
	h.held = append(h.held, ops...) // tests stay far below the depth
	return len(ops), nil
}

// Wait returns when n operations of s are held, minus those that were cached after all, and minus
// plain calls, and returns their number. If none is held, it releases h and skips the test: on 386
// each read is a plain call.
func (h *Holding) Wait(t *testing.T, s *sluice.Scheduler, n int) (held int) {
	t.Helper()
	WaitFor(t, "operations to be submitted", func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		held = len(h.held)
		st := s.Stats()
		return held+int(st.Cached+st.Plain) >= n
	})
	if held == 0 {
		h.Release(t) // the end of the test may close a file with a new read
		skip.For(t, skip.Chance, "no read was queued")
	}
	return held
}

// Release passes all held and later operations to the kernel.
func (h *Holding) Release(t *testing.T) {
	t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if n, err := h.Driver.Submit(h.held); n != len(h.held) || err != nil {
		t.Errorf("Submit of %d = %d, %v", len(h.held), n, err)
	}
	h.held, h.open = nil, true
}

// EachHolding runs test on a Scheduler whose driver holds operations back.
func EachHolding(t *testing.T, test func(t *testing.T, s *sluice.Scheduler, d *Holding)) {
	for name, open := range map[string]func() (driver.Driver, error){
		"pool": func() (driver.Driver, error) { return pool.New(pool.Options{}) },
		"uring": func() (driver.Driver, error) {
			r, err := uring.New(uring.Options{})
			return r, err
		},
	} {
		t.Run(name, func(t *testing.T) {
			inner, err := open()
			if Missing(err) {
				skip.ForDriver(t, name, err)
			}
			if err != nil {
				t.Fatal(err)
			}
			d := &Holding{Driver: inner}
			s := SchedulerOn(d)
			t.Cleanup(func() {
				d.Release(t)
				if err := s.Close(); err != nil && !errors.Is(err, os.ErrClosed) {
					t.Error(err)
				}
			})
			test(t, s, d)
		})
	}
}
