package sim_test

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/sluiceio/sluice/internal/driver"
	"github.com/sluiceio/sluice/internal/driver/sim"
)

// TestCrashSyncedWrites checks that a write with O_SYNC makes a rename of the file durable, and
// that a write with O_DSYNC does not.
func TestCrashSyncedWrites(t *testing.T) {
	for flag, always := range map[int]bool{unix.O_SYNC: true, unix.O_DSYNC: false} {
		lost := 0
		for seed := range uint64(100) {
			d := disk(t, sim.Options{Seed: seed})
			f, err := d.OpenFile("old", unix.O_RDWR|unix.O_CREAT|flag)
			if err != nil {
				t.Fatal(err)
			}
			if err := d.Rename("old", "new"); err != nil {
				t.Fatal(err)
			}
			if res, ok := d.Call(driver.Write, int(f.Fd()), []byte("x"), 0); res != 1 || !ok {
				t.Fatalf("Call(Write) = %d, %v; want 1, true", res, ok)
			}
			if got := string(d.Durable(int32(f.Fd()))); got != "x" {
				t.Errorf("flag %#x: Durable = %q; want x", flag, got)
			}
			if names := d.Crash().Names(); slices.Equal(names, []string{"old"}) {
				lost++
			} else if !slices.Equal(names, []string{"new"}) {
				t.Errorf("flag %#x: Names after a crash = %q; want old or new", flag, names)
			}
			f.Close()
		}
		if (lost == 0) != always {
			t.Errorf("flag %#x: the rename is lost in %d of 100 crashes", flag, lost)
		}
	}
}
