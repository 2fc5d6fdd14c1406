package sluicetest

import (
	"flag"
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/internal/test/seed"
)

var (
	worlds = flag.Int("sim.worlds", 150, "worlds, with a seed each")
	stride = flag.Uint64("sim.stride", 1, "the first seed is SLUICE_SEED times this")
	replay = flag.Bool("sim.replay", false, "run each world twice, and compare")
)

// TestWorlds runs worlds on simulated disks: files, direct files, streams, a cache, classes and
// Batches of one Scheduler, with devices that are slow, fail, freeze and lose power. The results of
// reads, and the disk after a crash, must be as the calls have promised. When the disk answers
// again, all operations must end.
func TestWorlds(t *testing.T) {
	// With one thread, the run depends on the seed alone. An exception: the system takes the
	// processor from the thread for so long that the Go runtime runs another goroutine.
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	first := seed.Of(t) * *stride
	ops, n := 0, 0
	for i := range uint64(*worlds) {
		o := runWorld(t, first+i, false, (*world).run)
		ops += o.ops
		n++
		if o.failure != "" {
			t.Errorf("seed %d: %s", first+i, o.failure)
			t.Logf("replay this one with SLUICE_SEED=%d -sim.worlds=1; on a busy machine as root, by chrt -f 50", first+i)
		}
		if *replay && runWorld(t, first+i, false, (*world).run).hash != o.hash {
			t.Errorf("seed %d: the second run differs%s", first+i, difference(runWorld(t, first+i, true, (*world).run).lines, runWorld(t, first+i, true, (*world).run).lines))
		}
	}
	t.Logf("figure: %d worlds", n)
	t.Logf("%d operations", ops)
}

// difference returns the first lines that differ.
func difference(a, b []string) string {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "\n" + a[i] + "\n" + b[i]
		}
	}
	return ""
}
