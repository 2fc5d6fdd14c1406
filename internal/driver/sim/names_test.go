package sim_test

import (
	"errors"
	"fmt"
	"runtime"
	"testing"

	"github.com/sluiceio/sluice/internal/driver/sim"
)

// TestNamesMemory checks that a change of a name that no sync follows takes memory for that name,
// and not for all names of the disk.
func TestNamesMemory(t *testing.T) {
	const files, renames = 500, 10_000
	d := disk(t, sim.Options{})
	for i := range files {
		d.CloseFile(d.Create(fmt.Sprint(i), nil))
	}
	before := heap()
	for i := range renames {
		name := fmt.Sprint(i % files)
		if err := errors.Join(d.Rename(name, "another"), d.Rename("another", name)); err != nil {
			t.Fatal(err)
		}
	}
	if got, most := heap()-before, int64(2*renames*1024); got > most {
		t.Errorf("%d renames take %d bytes; want at most %d", 2*renames, got, most)
	}
	after := d.Crash()
	defer after.CloseImages()
	if n := len(after.Names()); n != files {
		t.Errorf("a crash leaves %d names; want %d", n, files)
	}
}

// heap returns how many bytes of memory are in use.
func heap() int64 {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
