package sched

import (
	"testing"

	"github.com/sluiceio/sluice/internal/driver/script"
	"github.com/sluiceio/sluice/internal/record"
)

// TestNamedCallReleasesItsPermit: the end of a NamedCall releases the permit that its beginning
// acquired, and no other.
func TestNamedCallReleasesItsPermit(t *testing.T) {
	s := newOn(async{script.NewHeld(8)}, Options{Threads: 4})
	waits, err := s.BeginNamed(t.Context(), Changes)
	if err != nil {
		t.Fatal(err)
	}
	s.BeginNamedWithoutPermit().End(record.KindClose, "", 0, 0, nil)
	if n, _ := s.Names(); n != 1 {
		t.Errorf("%d permits are taken after a call without one; want that of the other call", n)
	}
	waits.End(record.KindOpen, "", 0, 0, nil)
	if n, _ := s.Names(); n != 0 {
		t.Errorf("%d permits are taken at the end", n)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
