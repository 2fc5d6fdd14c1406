package sluice_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestSmoke writes, syncs and reads a file with each driver that the system has. The package's
// other tests are in internal/test, by theme.
func TestSmoke(t *testing.T) {
	for _, driver := range append([]string{""}, testenv.Drivers...) {
		t.Run("driver "+driver, func(t *testing.T) {
			s := testenv.Scheduler(t, sluice.Options{Driver: driver})
			f, err := s.Create(filepath.Join(t.TempDir(), "file"))
			if err != nil {
				t.Fatal(err)
			}
			const text = "a few bytes"
			if n, err := f.WriteAt([]byte(text), 5); n != len(text) || err != nil {
				t.Errorf("WriteAt = %d, %v; want %d, nil", n, err, len(text))
			}
			if err := f.Sync(); err != nil {
				t.Errorf("Sync = %v", err)
			}
			b := make([]byte, len(text))
			if n, err := f.ReadAt(b, 5); n != len(text) || err != nil || string(b) != text {
				t.Errorf("ReadAt = %d, %v, %q; want %d, nil, %q", n, err, b, len(text), text)
			}
			if err := f.Close(); err != nil {
				t.Errorf("Close = %v", err)
			}
			if _, err := f.ReadAt(b, 5); !errors.Is(err, os.ErrClosed) {
				t.Errorf("ReadAt of a closed file = %v; want os.ErrClosed", err)
			}
		})
	}
}
