//go:build unix

package files

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/sluiceio/sluice"
	"github.com/sluiceio/sluice/direct"
	"github.com/sluiceio/sluice/internal/test/hang"
	"github.com/sluiceio/sluice/internal/test/skip"
	"github.com/sluiceio/sluice/internal/test/testenv"
)

// TestDirectFIFO opens a FIFO as a direct.File, which must fail without waiting for the other end.
func TestDirectFIFO(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	name := filepath.Join(t.TempDir(), "fifo")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		skip.For(t, skip.Special, err)
	}
	for _, flag := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR} {
		if _, err := direct.OpenOn(s, name, flag, 0); !errors.Is(err, errors.ErrUnsupported) {
			t.Errorf("OpenOn = %v; want %v", err, errors.ErrUnsupported)
		}
	}
}

func TestFIFO(t *testing.T) {
	s := testenv.Scheduler(t, sluice.Options{})
	r, w := testenv.FIFO(t, s)
	if n, err := w.WriteString(testenv.Twenty); n != 20 || err != nil {
		t.Errorf("WriteString = %d, %v; want 20, nil", n, err)
	}
	b := make([]byte, 100)
	if n, err := r.Read(b); string(b[:n]) != testenv.Twenty || err != nil {
		t.Errorf("Read = %q, %v; want %q, nil", b[:n], err, testenv.Twenty)
	}
	if n, err := r.ReadAt(b, 0); n != 0 || !errors.Is(err, syscall.ESPIPE) {
		t.Errorf("ReadAt = %d, %v; want 0, ESPIPE", n, err)
	}
	if _, err := r.Seek(0, io.SeekStart); !errors.Is(err, syscall.ESPIPE) {
		t.Errorf("Seek = %v; want ESPIPE", err)
	}
	if err := r.SetReadDeadline(time.Unix(1, 0)); err != nil {
		t.Errorf("SetReadDeadline = %v", err)
	}
	if n, err := r.Read(b); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("Read after the deadline = %d, %v; want 0, ErrDeadlineExceeded", n, err)
	}
	r.SetReadDeadline(time.Time{})
	w.Close()
	if n, err := r.Read(b); n != 0 || err != io.EOF {
		t.Errorf("Read without a writer = %d, %v; want 0, EOF", n, err)
	}
}

// TestCloseOfFIFO closes a FIFO while a goroutine reads it. As in os, the read must end, and Close
// must not wait for bytes.
func TestCloseOfFIFO(t *testing.T) {
	r, _ := testenv.FIFO(t, testenv.Scheduler(t, sluice.Options{}))
	failed := make(chan error)
	go func() {
		_, err := r.Read(make([]byte, 1))
		failed <- err
	}()
	testenv.WaitFor(t, "the read to begin", func() bool { return hang.Parked("poll.(*FD).Read") == 1 })
	if err := r.Close(); err != nil {
		t.Errorf("Close = %v", err)
	}
	if err := <-failed; !errors.Is(err, os.ErrClosed) {
		t.Errorf("Read = %v; want ErrClosed", err)
	}
}

// TestExec gives files to a program: as *os.File, and through the pipe that os/exec makes for a
// Writer.
func TestExec(t *testing.T) {
	cat, err := exec.LookPath("cat")
	if err != nil {
		skip.For(t, skip.Shell, err)
	}
	testenv.EachDriver(t, func(t *testing.T, s *sluice.Scheduler) {
		in := testenv.TextOn(t, s, t.TempDir())
		for _, direct := range []bool{true, false} {
			out, err := s.Create(filepath.Join(t.TempDir(), "out"))
			if err != nil {
				t.Fatal(err)
			}
			in.Seek(7, io.SeekStart)
			cmd := exec.Command(cat)
			cmd.Stdin, cmd.Stdout = in, out
			if direct {
				cmd.Stdin, cmd.Stdout = in.OSFile(), out.OSFile()
			}
			if err := cmd.Run(); err != nil {
				t.Fatal(err)
			}
			if b, _ := os.ReadFile(out.Name()); string(b) != testenv.Twenty[7:] {
				t.Errorf("cat wrote %q; want %q", b, testenv.Twenty[7:])
			}
			out.Close()
		}
	})
}
