//go:build unix

package main

import (
	"bufio"
	"errors"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// TestInterrupt ends a run by a signal while its workers are in slices of an
// hour: it goes at once, and leaves neither file nor process.
func TestInterrupt(t *testing.T) {
	for _, test := range []struct {
		signal syscall.Signal
		says   string
	}{
		{syscall.SIGINT, "sluice: interrupted after 0 of 16 rounds of matrix read-cached/4k/2\n"},
		{syscall.SIGQUIT, "sluice: quit after 0 of 16 rounds of matrix read-cached/4k/2\n"},
		{syscall.SIGTERM, "sluice: terminated after 0 of 16 rounds of matrix read-cached/4k/2\n"},
	} {
		t.Run(test.signal.String(), func(t *testing.T) { testInterrupt(t, test.signal, test.says) })
	}
}

func testInterrupt(t *testing.T, sig syscall.Signal, says string) {
	dir := t.TempDir()
	cmd := exec.Command("sluice", "bench", "matrix", "--dir", dir, "--file-size", "8m", "--time", "1h", "--cells", "read-cached/4k/2")
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(stdout)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "----") { // the rule over the first cell
	}
	workers := waitForWorkers(t, cmd.Process.Pid, 2)
	if err := cmd.Process.Signal(sig); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, stdout)
	err = cmd.Wait()
	exit, ok := errors.AsType[*exec.ExitError](err)
	if !ok || exit.ExitCode() != 128+int(sig) {
		t.Errorf("run ended with %v; want exit status %d", err, 128+int(sig))
	}
	if stderr.String() != says {
		t.Errorf("stderr is %q; want %q", &stderr, says)
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("%d files are left, %v", len(left), err)
	}
	for _, pid := range workers {
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("worker %d is still there: %v", pid, err)
		}
	}
}
