//go:build linux && (amd64 || arm64)

package uring

import (
	"fmt"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/drivertest"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// open makes a ring, or skips the test if the system has none.
func open(t testing.TB, o Options) *Ring {
	t.Helper()
	r, err := New(o)
	if err != nil {
		skip.ForDriver(t, "uring", err)
	}
	return r
}

func TestDriver(t *testing.T) {
	for _, atLeast := range []int{1, 16, 1024} {
		t.Run(fmt.Sprintf("Depth%d", atLeast), func(t *testing.T) {
			drivertest.Run(t, func(t testing.TB, depth int) driver.Driver {
				return open(t, Options{Depth: max(depth, atLeast)})
			})
		})
	}
}

// TestLazyDriver runs the conformance suite on a ring that is opened lazily.
func TestLazyDriver(t *testing.T) {
	drivertest.Run(t, func(t testing.TB, depth int) driver.Driver {
		return open(t, Options{Depth: depth, Lazy: true})
	})
}
