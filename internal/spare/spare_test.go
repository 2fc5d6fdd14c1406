package spare_test

import (
	"runtime/debug"
	"testing"

	"github.com/sluiceio/sluice/internal/spare"
)

// TestPool checks that a value is created if none was put back, and used again if one was.
func TestPool(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // a collection empties a sync.Pool
	var p spare.Pool[int]
	created := 0
	create := func() *int { created++; return new(int) }
	first := p.Get(create)
	if second := p.Get(create); second == first || created != 2 {
		t.Errorf("two values in use are one, or %d were created; want 2", created)
	}
	again := false
	for range 100 { // with the race detector a sync.Pool drops some
		p.Put(first)
		if got := p.Get(create); got == first {
			again = true
		}
	}
	if !again {
		t.Error("no value was used again")
	}
}
