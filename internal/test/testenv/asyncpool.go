package testenv

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/pool"
)

// AsyncPool is a pool that says that it needs no threads, so that everything is
// queued into it.
type AsyncPool struct{ *pool.Pool }

// Async reports true: the scheduler queues everything into the pool.
func (AsyncPool) Async(*driver.Op) bool { return true }

// PoolOf makes a pool of that depth.
func PoolOf(t *testing.T, depth int) *pool.Pool {
	t.Helper()
	p, err := pool.New(pool.Options{Depth: depth})
	if err != nil {
		t.Fatal(err)
	}
	return p
}
