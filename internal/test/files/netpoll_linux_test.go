package files

import (
	"errors"
	"os"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestFileInTheNetpoller has files of /proc and /sys that are regular by their mode, but whose
// waits are in the netpoller, as for pipes. They must have deadlines, and a read that waits must
// not fail with EAGAIN.
func TestFileInTheNetpoller(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, name := range []string{"/proc/self/mounts", "/sys/kernel/mm/transparent_hugepage/enabled"} {
			f, err := s.Open(name)
			if err != nil {
				t.Logf("not tried: %v", err)
				continue
			}
			defer f.Close()
			if err := f.SetReadDeadline(time.Now().Add(-time.Second)); err != nil {
				t.Logf("not tried: %v", err)
				continue
			}
			b := make([]byte, 10)
			if n, err := f.Read(b); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("Read of %s = %d, %v; want 0, %v", name, n, err, os.ErrDeadlineExceeded)
			}
			if err := f.SetReadDeadline(time.Time{}); err != nil {
				t.Error(err)
			}
			if n, err := f.Read(b); n == 0 || err != nil {
				t.Errorf("Read of %s = %d, %v; want some", name, n, err)
			}
		}
	})
}
