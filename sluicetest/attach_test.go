package sluicetest

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// TestAsync checks that a simulated driver queues the operations that the real one can queue.
func TestAsync(t *testing.T) {
	for _, c := range []struct {
		code            driver.Code
		flags           driver.Flags
		uring, aio, own bool
	}{
		{driver.Read, 0, true, false, false},
		{driver.Read, driver.Direct, true, true, false},
		{driver.Write, 0, false, false, false},
		{driver.Write, driver.Direct, true, true, false},
		{driver.Fsync, 0, false, true, false},
		{driver.Fsync, driver.Direct, false, true, false},
	} {
		for name, want := range map[string]bool{"": c.uring, "uring": c.uring, "aio": c.aio, "pool": false} {
			if got := async(name)(&driver.Op{Code: c.code, Flags: c.flags}); got != want {
				t.Errorf("driver %q, %v with the flags %#x: async = %t; want %t", name, c.code, c.flags, got, want)
			}
		}
	}
}
