package allocs

import (
	"errors"
	"strings"
	"testing"

	"github.com/sluiceio/sluice/internal/test/skip"
)

// failed keeps the message of a failed test.
type failed struct {
	testing.TB
	said []string
}

func (f *failed) Helper() {}

func (f *failed) Errorf(format string, _ ...any) { f.said = append(f.said, format) }

var kept []byte

// TestNone checks that None finds an error, and a call that allocates only sometimes.
func TestNone(t *testing.T) {
	if raceEnabled {
		skip.For(t, skip.Build, "allocations are not counted with the race detector")
	}
	for every, want := range map[int]bool{0: false, 1: true, 2: true, 50: true} {
		f, n := &failed{TB: t}, 0
		None(f, "", func() error {
			if n++; every > 0 && n%every == 0 {
				kept = make([]byte, 1000)
			}
			return nil
		})
		if got := len(f.said) > 0; got != want {
			t.Errorf("an allocation in each %d calls is found: %t; want %t", every, got, want)
		}
	}
	f := &failed{TB: t}
	if None(f, "", func() error { return errors.ErrUnsupported }); !strings.Contains(strings.Join(f.said, ""), "%v") {
		t.Error("an error is not told")
	}
}
