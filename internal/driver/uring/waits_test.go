//go:build linux && (amd64 || arm64)

package uring

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
)

// TestWaits checks that nothing counts before the first call of Waits, whether a Reap enters the
// kernel or not. After it both count. The operations fail at once, and so no Reap waits for long.
func TestWaits(t *testing.T) {
	r := open(t, Options{Depth: 8})
	defer r.Close()
	finds := func() {
		submit(t, r, op(read, 0))
		reap(t, r, 1)
	}
	enters := func() {
		if n := r.Stage([]*driver.Op{op(read, 0)}); n != 1 {
			t.Fatalf("Stage of 1 = %d", n)
		}
		reap(t, r, 1)
	}
	known := uint32(0)
	for _, c := range []struct {
		name string
		reap func()
		want uint32 // by how much known grows in sampleEvery Reaps
	}{
		{"that find their operation, before Waits", finds, 0},
		{"that find their operation", finds, sampleEvery},
		{"that enter the kernel", enters, sampleEvery},
	} {
		for range sampleEvery {
			c.reap()
		}
		n, waited := r.Waits()
		if n-known != c.want || waited > n {
			t.Errorf("%d Reaps %s: %d more are known, %d waited; want %d", sampleEvery, c.name, n-known, waited, c.want)
		}
		known = n
	}
}
