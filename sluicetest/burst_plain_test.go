//go:build !sluice_probes

package sluicetest

import (
	"testing"

	"github.com/sluiceio/sluice/internal/probe/probetest"
)

// giveWay needs the build tag sluice_probes.
func giveWay(uint64) (stop func()) { return func() {} }

// TestBurstsGivingWay runs TestBursts with the build tag sluice_probes.
func TestBurstsGivingWay(t *testing.T) { probetest.Run(t, "^TestBursts$") }
