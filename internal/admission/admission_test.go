package admission

import (
	"testing"

	"github.com/sluiceio/sluice/internal/governor"
)

// Room leaves a quarter of the permits to other operations. In a program whose queue is in force it
// leaves room to an operation that is alone. While the processors are taken it leaves room to few.
func TestRoom(t *testing.T) {
	const ready, taken = true, true
	for _, c := range []struct {
		choice governor.Choice
		l      Load
		most   int32
	}{
		{governor.Plain, Load{0, 16, 1, ready, !taken}, 12},
		{governor.Plain, Load{100, 16, 2, !ready, !taken}, 12},
		{governor.Plain, Load{100, 64, 2, ready, !taken}, 48},
		{governor.Plain, Load{0, 16, 1, ready, taken}, 0},
		{governor.Plain, Load{1, 16, 1, !ready, taken}, 2},
		{governor.Plain, Load{2, 16, 1, !ready, taken}, 0},
		{governor.Queue, Load{3, 16, 2, ready, taken}, 4},
		{governor.Plain, Load{4, 16, 2, ready, taken}, 0},
		{governor.Plain, Load{1, 16, 64, ready, taken}, 12},
		{governor.Queue, Load{0, 16, 1, ready, !taken}, 0},
		{governor.Queue, Load{0, 16, 1, !ready, !taken}, 1},
		{governor.Queue, Load{1, 16, 1, !ready, !taken}, 0},
		{governor.Queue, Load{0, 16, 2, ready, !taken}, 1},
		{governor.Queue, Load{1, 16, 2, ready, !taken}, 0},
		{governor.Queue, Load{0, 64, 64, ready, !taken}, 1},
	} {
		if most := Room(c.choice, c.l); most != c.most {
			t.Errorf("Room(%v, %+v) = %d; want %d", c.choice, c.l, most, c.most)
		}
	}
}

// The first guess goes by the processors. For large reads and fsyncs it goes by the permits.
func TestFew(t *testing.T) {
	for _, c := range []struct {
		kind          governor.Kind
		processors    int
		permits       int32
		ready, direct bool
		few           int32
	}{
		{governor.Reads, 1, 16, true, true, 0},
		{governor.Reads, 1, 16, true, false, 0},
		{governor.Reads, 1, 16, false, true, 2},
		{governor.Reads, 2, 16, true, true, 2},
		{governor.Reads, 2, 16, true, false, 4},
		{governor.Reads, 2, 16, false, true, 4},
		{governor.Reads, 3, 16, true, true, 6},
		{governor.PositionReads, 64, 64, true, true, 128},
		{governor.Writes, 2, 16, true, true, 4},
		{governor.Writes, 8, 16, true, true, 16},
		{governor.LargeReads, 2, 16, true, false, 16},
		{governor.Syncs, 64, 64, true, false, 48},
	} {
		if few := Few(c.kind, c.processors, c.permits, c.ready, c.direct); few != c.few {
			t.Errorf("%+v: Few = %d", c, few)
		}
	}
}
