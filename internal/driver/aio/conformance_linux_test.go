//go:build amd64 || arm64

package aio

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/drivertest"
)

// TestDriver runs the conformance suite, with all features of this kernel, and without each feature
// that an older kernel may lack.
func TestDriver(t *testing.T) {
	for _, kernel := range []struct {
		name string
		less func(q *Queue)
	}{
		{"Whole", func(*Queue) {}},
		{"NoRing", func(q *Queue) { q.mapped = false }},
		{"NoNowait", func(q *Queue) { q.nowait = false }},
		{"NoSizes", func(q *Queue) { q.statx = false }},
		{"NoFsync", func(q *Queue) { q.fsync = false }},
	} {
		t.Run(kernel.name, func(t *testing.T) {
			drivertest.Run(t, func(t testing.TB, depth int) driver.Driver {
				q := open(t, Options{Depth: depth})
				kernel.less(q)
				return q
			})
		})
	}
}
