//go:build !probes

package ioengine

import (
	"os"
	"os/exec"
	"testing"

	"github.com/sluiceio/sluice/internal/sys"
)

// TestOrdersOfTheProtocol runs the test of that name, and those of the explorer,
// which need the build tag probes.
func TestOrdersOfTheProtocol(t *testing.T) {
	if sys.RaceEnabled {
		t.Skip("the race detector has nothing to find there: one goroutine runs at a time")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		t.Skip("there is no go command to build it with")
	}
	if _, err := os.Stat("../probe/on.go"); err != nil {
		t.Skip("the source is not here")
	}
	cmd := exec.CommandContext(t.Context(), goTool, "test", "-count=1", "-tags=probes", "-run=^TestOrdersOfTheProtocol$|^TestExplorer", ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", cmd, err, out)
	}
}
