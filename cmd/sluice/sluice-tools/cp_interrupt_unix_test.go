//go:build unix

package main

import (
	"errors"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestCpInterrupt ends a copy by a signal while it waits for a FIFO without a writer. On a busy
// machine the copy may take longer to end than the command waits, and then there is a warning.
func TestCpInterrupt(t *testing.T) {
	for sig, status := range map[syscall.Signal]int{syscall.SIGINT: 130, syscall.SIGTERM: 143} {
		t.Run(sig.String(), func(t *testing.T) { testCpInterrupt(t, sig, status) })
	}
}

func testCpInterrupt(t *testing.T, sig syscall.Signal, status int) {
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Mkdir("d", 0o755), syscall.Mkfifo("d/pipe", 0o600), os.WriteFile("d/a", nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sluice", "cp", "-rp", "--copy-contents", "d", "new")
	cmd.Env = append(os.Environ(), "LC_ALL=C")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for t.Context().Err() == nil { // until it has begun
		if _, err := os.Stat("new"); err == nil {
			break
		}
		time.Sleep(time.Millisecond)
	}
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	err := cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != status {
		t.Errorf("it ended with %v; want exit status %d", err, status)
	}
	if text := stderr.String(); !strings.Contains(text, " after ") || !strings.HasSuffix(text, "; the same command with --resume -T goes on\n") {
		t.Errorf("stderr is %q", text)
	}
}
