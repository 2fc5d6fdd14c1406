// Package testenv is shared by tests of packages that use sluice.
package testenv

import (
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/inside"
	"github.com/sluiceio/sluice/internal/sched"
)

// Core returns the inside of a new Scheduler, which lives until the end of the test.
func Core(t testing.TB) *sched.Scheduler {
	t.Helper()
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		t.Fatal(err)
	}
	h := inside.Scheduler(s)
	if err := h.Acquire(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		h.Release()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return h.Core
}

// CoreOf returns the inside of s.
func CoreOf(s *sluice.Scheduler) *sched.Scheduler { return inside.Scheduler(s).Core }

// FileCore returns the inside of f, nil if f has no disk I/O.
func FileCore(f *sluice.File) *sched.File { return inside.File(f).IO }

// Closing reports whether Close of f has begun.
func Closing(f *sluice.File) bool {
	core := FileCore(f)
	if core.Use() {
		core.Done()
		return false
	}
	return true
}
