package sluicetest

import (
	"flag"
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/internal/test/seed"
)

var burstWorlds = flag.Int("sim.bursts", 150, "narrow worlds, with a seed each")

// TestBursts runs narrow worlds, in which all goroutines must end. With the build tag
// sluice_probes, goroutines yield at random between their accesses to shared fields. A wake-up that
// is lost in one order of these accesses then leaves a goroutine behind.
func TestBursts(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	first := seed.Of(t) * *stride
	ops, n := 0, 0
	for i := range uint64(*burstWorlds) {
		stop := giveWay(first + i)
		o := runWorld(t, first+i, false, (*world).bursts)
		stop()
		ops += o.ops
		n++
		if o.failure != "" {
			t.Errorf("seed %d: %s", first+i, o.failure)
			t.Logf("try this one again with SLUICE_SEED=%d -sim.bursts=1; it is not the same each time", first+i)
			return // the lost goroutines stay
		}
	}
	t.Logf("figure: %d worlds", n)
	t.Logf("%d operations", ops)
}
