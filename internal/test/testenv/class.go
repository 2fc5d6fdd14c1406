package testenv

import (
	"testing"

	"github.com/sluiceio/sluice"
)

// Class makes a class of s.
func Class(t testing.TB, s *sluice.Scheduler, name string, o sluice.ClassOptions) *sluice.Class {
	t.Helper()
	c, err := s.Class(name, o)
	if err != nil {
		t.Fatal(err)
	}
	return c
}
