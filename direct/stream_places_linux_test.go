package direct_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"syscall"
	"testing"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/places"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestStreamsOfADevice writes a block device to its end, and reads it back.
func TestStreamsOfADevice(t *testing.T) {
	device := places.Loop(t, 3<<20)
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		f, err := direct.OpenOn(s, device, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		want := testenv.Noise(3 << 20)
		w := writer(t, f, direct.WriterOptions{BufferSize: 100_000, Start: 7})
		if n, err := w.Write(want[7:]); n != len(want)-7 || err != nil {
			t.Fatal(n, err)
		}
		if err := w.Sync(); err != nil {
			t.Fatal(err)
		}
		if got, _ := nextAll(t, reader(t, f, direct.ReaderOptions{BufferSize: 70_000})); !bytes.Equal(got[7:], want[7:]) {
			t.Errorf("%d bytes (%08x); want %d (%08x)", len(got), testenv.Sum(got[7:]), len(want), testenv.Sum(want[7:]))
		}
		if n, err := w.Write([]byte("more")); n != 4 || err != nil {
			t.Errorf("Write into the buffer = %d, %v; want 4, nil", n, err)
		}
		if err := w.Close(); !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("Close after a write beyond the end = %v; want ENOSPC", err)
		}
	})
}

// TestReaderOfProc reads a file that does not report its size.
func TestReaderOfProc(t *testing.T) {
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		for _, name := range []string{"/proc/version", "/proc/self/cmdline"} {
			want, err := os.ReadFile(name)
			if err != nil {
				skip.For(t, skip.Proc, err)
			}
			f, err := direct.OpenOn(s, name, os.O_RDONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			r := reader(t, f, direct.ReaderOptions{})
			for range 2 {
				if got, err := io.ReadAll(r); !bytes.Equal(got, want) || err != nil {
					t.Errorf("%s: %q, %v; want %q", name, got, err, want)
				}
				if _, err := r.Seek(0, io.SeekStart); err != nil {
					t.Error(err)
				}
			}
		}
	})
}
