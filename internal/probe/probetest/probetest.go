// Package probetest runs tests that need the build tag sluice_probes; see package probe.
package probetest

import (
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice/internal/sys"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// Run runs the tests of the calling test's package that match a regular expression, with the build
// tag.
func Run(t *testing.T, tests string) {
	t.Helper()
	if sys.RaceEnabled {
		skip.For(t, skip.Build, "the race detector has nothing to find there: one goroutine runs at a time")
	}
	goTool, err := exec.LookPath("go")
	if err != nil {
		skip.For(t, skip.Go, "there is no go command to build it with")
	}
	if files, _ := filepath.Glob("*_test.go"); len(files) == 0 {
		skip.For(t, skip.Case, "the source is not here")
	}
	cmd := exec.CommandContext(t.Context(), goTool, "test", "-count=1", "-tags=sluice_probes", "-run="+tests, ".")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Errorf("%v: %v\n%s", cmd, err, out)
	}
}
