//go:build !sluice_probes

package limiter

import (
	"testing"

	"github.com/sluiceio/sluice/internal/probe/probetest"
)

// TestInterrupted runs the test of that name, which needs the build tag sluice_probes.
func TestInterrupted(t *testing.T) { probetest.Run(t, "^TestInterrupted$") }

// TestUnusedQuotaIsOffered runs the test of that name.
func TestUnusedQuotaIsOffered(t *testing.T) { probetest.Run(t, "^TestUnusedQuotaIsOffered$") }
