package sched

import (
	"os"
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/internal/budget"
)

// TestMain gives the tests at most budget.Least processors: they count the permits of a device, of
// which there are more with more processors.
func TestMain(m *testing.M) {
	runtime.GOMAXPROCS(min(runtime.GOMAXPROCS(0), budget.Least))
	os.Exit(m.Run())
}
