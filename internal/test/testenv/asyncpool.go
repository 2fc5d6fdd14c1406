package testenv

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
)

// AsyncPool is a pool that claims to need no threads, so that everything is queued into it.
type AsyncPool struct{ *pool.Pool }

// Async returns true: the Scheduler queues everything into the pool.
func (AsyncPool) Async(*driver.Op) bool { return true }

// PoolOf makes a pool of this depth.
func PoolOf(t *testing.T, depth int) *pool.Pool {
	t.Helper()
	p, err := pool.New(pool.Options{Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
