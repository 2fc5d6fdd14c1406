// Package lendtest gives tests what is inside a sluice.Scheduler.
package lendtest

import (
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/lend"
	"github.com/sluiceio/sluice/internal/sched"
)

// Core returns what is in a new Scheduler, for the time of the test.
func Core(t testing.TB) *sched.Scheduler {
	t.Helper()
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		t.Fatal(err)
	}
	core, giveBack, err := lend.Scheduler(s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		giveBack()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return core
}
