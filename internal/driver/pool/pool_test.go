package pool_test

import (
	"fmt"
	"testing"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/drivertest"
	"github.com/sluiceio/sluice/internal/driver/pool"
)

func TestDriver(t *testing.T) {
	for _, threads := range []int{1, 3, 64} {
		t.Run(fmt.Sprintf("Threads%d", threads), func(t *testing.T) {
			drivertest.Run(t, func(t testing.TB, depth int) driver.Driver {
				p, err := pool.New(pool.Options{Threads: threads, Depth: depth})
				if err != nil {
					t.Fatal(err)
				}
				return p
			})
		})
	}
}
