package device

import (
	"runtime"
	"testing"
	"weak"

	"github.com/sluiceio/sluice/internal/budget"
	"github.com/sluiceio/sluice/internal/test/hang"
)

// A device is the same for all who have it, and is forgotten when nobody has it: a table that has
// seen many stays small.
func TestForgotten(t *testing.T) {
	hang.Watch(t)
	var table Table
	table.Init(0, false)
	kept := table.Of(1)
	p, _ := table.Of(2).Budget.TryAcquire(budget.Reads) // whoever has a permit has the device
	for number := range uint64(10_000) {
		if d := table.Of(number); d.Number != number || number == 1 && d != kept {
			t.Fatalf("device %d is %p with the number %d", number, d, d.Number)
		}
	}
	hang.Eventually(func() bool {
		runtime.GC()
		return table.Len() == 3 // the two, and None
	})
	if threads, waiting := table.InUse(); threads != 1 || waiting != 0 {
		t.Errorf("InUse = %d, %d; want 1, 0", threads, waiting)
	}
	p.Release()
	if table.Of(1) != kept || table.Of(None) != table.None() {
		t.Error("a device that somebody has is another one")
	}
	runtime.KeepAlive(kept)
}

// A Table that keeps all Devices forgets none.
func TestKeepAll(t *testing.T) {
	var table Table
	table.Init(0, true)
	for number := range uint64(100) {
		table.Of(number)
	}
	runtime.GC()
	runtime.GC()
	if n := table.Len(); n != 101 {
		t.Errorf("%d Devices; want 101", n)
	}
}

// A Table that nobody has is collected, with its Devices.
func TestTableIsCollected(t *testing.T) {
	hang.Watch(t)
	table := new(Table)
	table.Init(0, false)
	table.Of(1)
	collected := weak.Make(table)
	hang.Eventually(func() bool {
		runtime.GC()
		return collected.Value() == nil
	})
}

// Len returns how many Devices there are.
func (t *Table) Len() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.of)
}
