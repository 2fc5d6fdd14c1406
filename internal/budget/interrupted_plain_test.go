//go:build !sluice_probes

package budget

import (
	"testing"

	"github.com/sluiceio/sluice/internal/probe/probetest"
)

// TestInterrupted runs the test of that name, which needs the build tag sluice_probes.
func TestInterrupted(t *testing.T) { probetest.Run(t, "^TestInterrupted$") }
