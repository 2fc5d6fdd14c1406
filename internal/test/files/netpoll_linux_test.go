package files

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// netpolled are files of /proc and /sys that are regular by their mode, but whose waits are in the
// netpoller, as for pipes.
var netpolled = []string{"/proc/self/mounts", "/sys/kernel/mm/transparent_hugepage/enabled"}

// TestFileInTheNetpoller: such files must have deadlines, and a read that waits must not fail with
// EAGAIN.
func TestFileInTheNetpoller(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, name := range netpolled {
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

// TestDeadlineStays checks that a file keeps the deadline that the program has set, when a File is
// made of it, or copies it. Otherwise a copy of /proc/kmsg or trace_pipe would never end.
func TestDeadlineStays(t *testing.T) {
	s, err := sluice.NewScheduler(sluice.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for _, name := range netpolled {
		source, err := os.Open(name)
		if err == nil {
			defer source.Close()
			err = source.SetReadDeadline(time.Now().Add(-time.Second))
		}
		if err != nil {
			t.Logf("not tried: %v", err)
			continue
		}
		copied, err := s.Create(filepath.Join(t.TempDir(), "copied"))
		if err != nil {
			t.Fatal(err)
		}
		for what, r := range map[string]io.Reader{"a file": source, "a limited file": io.LimitReader(source, 10)} {
			if n, err := copied.ReadFrom(r); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
				t.Errorf("ReadFrom of %s, %s = %d, %v; want 0, %v", what, name, n, err, os.ErrDeadlineExceeded)
			}
		}
		f, err := s.FromOS(source)
		if err != nil {
			t.Fatal(err)
		}
		if n, err := f.Read(make([]byte, 10)); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("Read of %s = %d, %v; want 0, %v", name, n, err, os.ErrDeadlineExceeded)
		}
	}
}
