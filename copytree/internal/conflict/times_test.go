package conflict

import (
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
)

// TestStepOf checks that the step follows from a rounded time.
func TestStepOf(t *testing.T) {
	fine := at.Time{Sec: 1e9 + 1, Nsec: 1e9 - 1}
	for _, step := range append([]int64{exact}, steps[:]...) {
		if got := stepOf(fine, fine.Cut(step)); got != step {
			t.Errorf("stepOf(%v, %v) = %d; want %d", fine, fine.Cut(step), got, step)
		}
	}
	if got := stepOf(fine, at.Time{Sec: 5}); got != exact {
		t.Errorf("stepOf of another time = %d; want %d", got, exact)
	}
}

// TestMaybeCut checks that only a possible rounding of the source's time counts.
func TestMaybeCut(t *testing.T) {
	for _, test := range []struct {
		kept, of at.Time
		want     bool
	}{
		{at.Time{Sec: 4}, at.Time{Sec: 5, Nsec: 1}, true},
		{at.Time{Sec: 5}, at.Time{Sec: 5, Nsec: 1}, true},
		{at.Time{Sec: -6}, at.Time{Sec: -5, Nsec: 1}, true},
		{at.Time{Sec: 5, Nsec: 123456700}, at.Time{Sec: 5, Nsec: 123456789}, true},
		{at.Time{Sec: 5, Nsec: 1}, at.Time{Sec: 5, Nsec: 1}, false},
		{at.Time{Sec: 5, Nsec: 3}, at.Time{Sec: 5, Nsec: 4}, false},
		{at.Time{Sec: 3}, at.Time{Sec: 5, Nsec: 1}, false},
		{at.Time{Sec: 6}, at.Time{Sec: 5, Nsec: 1}, false},
	} {
		if got := maybeCut(test.kept, test.of); got != test.want {
			t.Errorf("maybeCut(%v, %v) = %v; want %v", test.kept, test.of, got, test.want)
		}
	}
}
