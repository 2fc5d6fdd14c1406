package made

import (
	"testing"

	"github.com/sluiceio/sluice/copytree/internal/at"
	"github.com/sluiceio/sluice/internal/test/seed"
)

// TestIDSet compares it with a map, for files of several devices.
func TestIDSet(t *testing.T) {
	r := seed.Rand(t)
	var set idSet
	model := map[at.ID]bool{}
	for i := range 20_000 {
		id := at.ID{Dev: 1 + r.Uint64N(3), Ino: 1 + r.Uint64N(8_000)}
		if set.has(id) != model[id] {
			t.Fatalf("step %d: has(%v) = %t; want %t", i, id, set.has(id), model[id])
		}
		if r.IntN(2) == 0 {
			set.add(id)
			model[id] = true
		}
	}
	if set.len != len(model) {
		t.Errorf("%d files; want %d", set.len, len(model))
	}
	if 16*set.len < 8*len(set.words)/2 {
		t.Errorf("%d files in %d words", set.len, len(set.words))
	}
}
