//go:build unix

package testenv

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/skip"
)

// FIFO opens both ends of a new FIFO on s.
func FIFO(t *testing.T, s *sluice.Scheduler) (r, w *sluice.File) {
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		skip.For(t, skip.Special, err)
	}
	r, err := s.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	w, err = s.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	return r, w
}
