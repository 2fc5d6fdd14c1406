//go:build !sluice_probes

package ioengine

import (
	"testing"

	"github.com/sluiceio/sluice/internal/probe/probetest"
)

// TestOrdersOfTheProtocol runs the test of that name and the tests of the explorer. Both need the
// build tag sluice_probes.
func TestOrdersOfTheProtocol(t *testing.T) {
	probetest.Run(t, "^TestOrdersOfTheProtocol$|^TestExplorer")
}
