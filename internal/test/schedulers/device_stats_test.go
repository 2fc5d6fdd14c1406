package schedulers

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDeviceStats checks that a device counts its waiting operations, and is forgotten with its
// files.
func TestDeviceStats(t *testing.T) {
	hang.Watch(t)
	const readers = 8
	testenv.EachHolding(t, func(t *testing.T, s *sluice.Scheduler, d *testenv.Holding) {
		if n := len(s.DeviceStats()); n != 0 {
			t.Fatalf("%d devices before a file was opened; want 0", n)
		}
		name := filepath.Join(t.TempDir(), "file")
		w := testenv.Must1(os.Create(name)) // with package os: the driver would hold a write back
		_, err := w.Write(make([]byte, readers<<20))
		if err := errors.Join(err, w.Sync(), w.Close()); err != nil {
			t.Fatal(err)
		}
		f := testenv.Must1(s.Open(name))
		defer f.Close()
		all := s.DeviceStats()
		if len(all) != 1 || all[0].Name == "" || all[0].Permits == 0 || all[0].InFlight+all[0].WaitingThreads+all[0].Waiting != 0 {
			t.Fatalf("DeviceStats with one open file = %+v; want one device, on which nothing goes on", all)
		}
		if err := testenv.DropCache(int(f.Fd())); err != nil {
			skip.Forf(t, skip.Platform, "the page cache cannot be dropped: %v", err)
		}
		ended := make(chan error)
		for i := range int64(readers) {
			go func() {
				_, err := f.ReadAt(make([]byte, 100), i<<20)
				ended <- err
			}()
		}
		d.Wait(t, s, readers)
		if all := s.DeviceStats(); len(all) != 1 || all[0].InFlight+all[0].WaitingThreads == 0 {
			t.Errorf("DeviceStats of %d reads = %+v; want one device, with operations", readers, all)
		}
		d.Release(t)
		for range readers {
			if err := <-ended; err != nil {
				t.Error(err)
			}
		}
	})
}
